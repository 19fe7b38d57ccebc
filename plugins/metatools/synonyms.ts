import { stem } from './stem.ts';

// General English and the trade's words: what people say → what tools say. One line, words that stand for one another;
// a later word of a line is found by an earlier one and the other way round.
const ALIKE = `
create make new add generate build insert setup provision compose draft start
delete remove erase drop destroy purge discard trash clear uninstall unset
open create raise file log start begin
rerun retry rerun restart run trigger again
react reaction emoji
exec execute run shell
approve review accept
request ask review
turnon enable activate update toggle
turnoff disable deactivate update toggle
signin login authenticate auth
signout logout
login authenticate auth
nearby local place near
restaurant place local
shop place local
hotel place local
howmany count number size total length stats
forget delete remove
reorder move sort
spawn create start
dial call
ping health check
who user person
where location place
when time date schedule
unlink disconnect
attach upload add
post create send
schedule create event
book create event
patch update
register create add
file create
raise create
meeting event
tomorrow calendar event date
today calendar event date
kill stop delete terminate
update edit modify change alter set patch revise adjust rewrite replace
rename relabel retitle
move relocate transfer shift
copy duplicate clone replicate
search find query lookup seek locate discover browse
get fetch retrieve read show view obtain open display see look load
list enumerate show all
send post publish submit deliver message
upload put store save write push import
download export save pull fetch
run execute invoke launch trigger start perform
stop halt kill terminate cancel abort end pause
restart reboot reload reset
start launch begin boot enable
enable activate turn-on switch-on toggle
disable deactivate turn-off switch-off toggle
join enter
leave quit exit
close resolve finish complete done
approve accept confirm acknowledge
assign delegate allocate
invite
share grant permission
lock protect
check verify validate test inspect
compare diff difference versus contrast
merge combine join concatenate unite
convert transform translate change
calculate compute evaluate solve math arithmetic calculator expression
count number total how-many
sum aggregate total
sort order
summarize summary overview digest outline
explain describe detail information info about metadata
schedule plan book
subscribe follow watch
comment reply note remark annotate annotation
reaction emoji
picture image photo photograph graphic screenshot
screenshot capture snapshot screen
draw plot render sketch visualize chart
chart graph plot diagram visualization
diagram flowchart chart
pie donut
table grid spreadsheet
spreadsheet sheet workbook excel worksheet
document doc file page word text
file document attachment
folder directory dir path
email mail message gmail inbox
message text chat dm
chat conversation channel room
thread conversation discussion
calendar event appointment meeting agenda schedule
meeting event appointment call
task todo reminder chore ticket
ticket issue bug story
bug issue defect error
issue problem
project workspace
sprint iteration
epic
backlog
label tag
contact person people
user person member people account employee colleague who
team group squad
role permission privilege right access
policy permission
password credential secret
key token
commit revision change
branch
repository repo codebase project
code source snippet
release version
history log timeline past changes revisions
log logs trace
metric measurement statistic stat metrics
statistic metrics analytics stats
alert alarm notification warning incident
incident outage alert
dashboard panel board
monitor watch observe
database db
table
collection table
row record entry item line
column field attribute
cell
query sql statement
schema structure layout mapping definition
index indices
key
value
bucket storage
instance server machine vm
server host node machine
container pod docker
pod container
deployment deploy rollout
deploy release rollout ship
scale resize replicas
namespace
cluster
event
webpage page website site url web
url link address uri
link url hyperlink
internet web online
web internet online website
news headline article
article page post
encyclopedia wikipedia
crawl scrape spider
scrape extract crawl
browser chrome page
click press tap
type fill enter input
form input
scroll
hover
navigate goto visit open go
tab window
price quote cost rate value
stock share equity ticker
earnings income profit
income earnings revenue
dividend payout
company business firm organization
paper article publication preprint study
author writer
citation reference bibliography
map location place geo
place location venue poi
direction route path navigation
route directions way
distance far
address location
geocode coordinates latitude longitude
elevation altitude height
weather forecast
time clock hour now
date day
timezone time-zone
currency money
language
translate localize
memory remember knowledge recall
remember memorize store memory
knowledge graph memory
entity node object
relation relationship edge link
observation fact
think reason reasoning
step stage
vector embedding
cache
queue
stream
list queue
set
hash map
expire ttl expiration
expiration expire ttl
flag feature toggle
experiment test
variation variant
segment audience
environment env
environment stage
variable var parameter setting
setting configuration config option preference
configuration config setting
header heading title
heading header title
title heading name
paragraph text
footnote endnote note
picture figure
font typeface style
bold style format
format style
merge join
unmerge split
split divide
workflow dag pipeline
job run task
pipeline workflow
worker
connection link
port
domain dns hostname zone
dns record domain
certificate ssl tls
website site
video clip
audio sound voice
local nearby
nearby near around
popular top trending best
latest recent newest last
newest latest recent
old oldest
size big large
status state health progress
health status
available free
busy free
vacation absence
attachment file upload
worklog time-log
hours worklog
transition status state
star favorite favourite bookmark
favorite star
fork clone
archive
restore recover undo undelete revert
revert undo rollback restore
undo revert
backup dump snapshot export
snapshot backup
sample example random
plan explain
slow performance
speed performance latency
cost price billing
customer client
bill invoice
dependency library package
library package module
documentation docs manual guide reference
docs documentation
example sample
template blueprint boilerplate
slide presentation
presentation slides deck
survey form questionnaire
answer response reply
question query ask
ask question query
shell terminal command console bash
command shell cli
script code function
function method
lambda function worker
secret credential
group
membership member
watcher follower
parent
child sub nested
subtask child
tree hierarchy structure
recursive
empty clear
headcount
heatmap
word term
translate
wifi network
network traffic request
traffic network
request http
error exception failure
failed error failure
crash error
`;

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
for (const line of ALIKE.trim().split('\n')) {
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
