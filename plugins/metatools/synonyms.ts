import { stem } from './stem.ts';
import { ACTIONS } from './synonymsOfActions.ts';
import { THINGS } from './synonymsOfThings.ts';

/** Short forms and what they stand for, word by word. */
const SHORT = `
pr pull request
prs pull request
mr merge request
repo repository
repos repository
k8s kubernetes
ns namespace
db database
dbs database
es elasticsearch
pg postgres
kv key value
kubectl kubernetes
gh github
gmail google mail
gcal google calendar
gdoc google doc
gdocs google doc
gdrive google drive
gsheet google sheet
gsheets google sheet
docx word document
doc document
xlsx excel workbook
xls excel workbook
pptx presentation
ppt presentation
csv csv
js javascript
ts typescript
py python
env environment
config configuration
cfg configuration
param parameter
params parameter
arg argument
args argument
dir directory
dirs directory
msg message
msgs message
img image
pic image
pics image
info information
auth authentication
authn authentication
authz authorization
org organization
orgs organization
dept department
cal calendar
tz timezone
sla sla
ci workflow
cd deployment
gha github action
iam iam
ec2 instance
lb load balancer
vm instance
url url
ip ip
sql query
nosql nosql
crd custom resource
hpa autoscaler
pvc volume claim
svc service
deploy deployment
cm config map
dm direct message
rss feed
seo search
ttl expire
todo task
eod day
eps earnings share
ohlc price
etf fund
fx currency
ga analytics
ui interface
dom page
a11y accessibility
i18n translation
perf performance
prom prometheus
promql prometheus query
logql loki query
tf terraform
cw cloudwatch
ddb dynamodb
s3 bucket
sg security group
mfa mfa device
2fa mfa device
ecr image repository
d1 d1 database
r2 r2 bucket
ff feature flag
gist gist
lat latitude
lng longitude
lon longitude
geo location
`;

const alikeByStem = new Map<string, ReadonlySet<string>>();
const longByShort = new Map<string, readonly string[]>();
for (const line of [...ACTIONS, ...THINGS]) {
  const stems = line.split(' ').map((word) => stem(word.replaceAll('-', '')));
  for (const one of stems)
    alikeByStem.set(
      one,
      new Set([...(alikeByStem.get(one) ?? []), ...stems.filter((other) => other !== one)]),
    );
}
for (const line of SHORT.trim().split('\n')) {
  const [short = '', ...long] = line.split(' ');
  longByShort.set(stem(short), long.map(stem));
}

/** Said in two words what tools say in one. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:turn|switch)(?:ed|ing|s)? on\b/gi, 'turnon'],
  [/\b(?:turn|switch)(?:ed|ing|s)? off\b/gi, 'turnoff'],
  [/\b(?:sign|log) ?in\b/gi, 'signin'],
  [/\b(?:sign|log) ?out\b/gi, 'signout'],
  [/\bset up\b/gi, 'setup'],
  [/\blook up\b/gi, 'search'],
  [/\bget rid of\b/gi, 'delete'],
  [/\bhow many\b/gi, 'howmany'],
  [/\bhow far\b/gi, 'distance'],
  [/\b(?:near|around) me\b/gi, 'nearby'],
];

/** The query with such phrases in one word. */
export function withoutPhrases(query: string): string {
  return PHRASES.reduce((text, [phrase, word]) => text.replaceAll(phrase, word), query);
}

/** Stems of words that may stand for this one. */
export function alikeOf(stemmed: string): ReadonlySet<string> | undefined {
  return alikeByStem.get(stemmed);
}

/** Stems of the words that a short form stands for. */
export function longFormOf(stemmed: string): readonly string[] | undefined {
  return longByShort.get(stemmed);
}
