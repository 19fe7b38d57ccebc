import { FUNCTION_NAMES } from '@pegboard/gotpl';
import { nearest } from 'pegboard';
import { byWord } from './byWord.ts';
import { expressionOf, meantPath, segmentsOf } from './meantPath.ts';
import type { Names } from './meantPath.ts';

/** A path in the form of any language, with a dot, a dollar sign or a quote before it. */
const TOKEN = /[.$"]?[A-Za-z_][\w-]*(?:\.[\w-]+|\[[^[\]]{0,80}\])*/g;
const MAX_CHARS = 4000;

/** What to write for a template that does not parse, which is often one of another language.
 *  @param reason what the parser says, without the place */
export function templateHint(text: string, reason: string, names: Names): string | undefined {
  const source = text.slice(0, MAX_CHARS);
  const actions = (source.match(/\{\{[^{}]*\}?\}?/g) ?? []).map((one) =>
    one.replaceAll(/^\{\{-?|-?\}{0,2}$/g, '').trim(),
  );
  if (source.includes('{{{')) return 'write two braces, {{ .input.name }}';
  const [, marked] = /\{\{#([\w.-]{1,200})#\}\}/.exec(source) ?? [];
  const path = marked === undefined ? undefined : meantPath(marked, names, { isStrict: true });
  if (path !== undefined) return `write {{ ${path} }}`;
  if (source.includes('{%') || actions.some((one) => /^[#/^>@]/.test(one))) return BLOCKS;
  const [, unknown] = /^function "(\w+)" not defined$/.exec(reason) ?? [];
  if (unknown !== undefined) return forWord(unknown, actions, names);
  const [, variable] = /^undefined variable "(\$\w+)"$/.exec(reason) ?? [];
  if (variable !== undefined) return forVariable(variable, source, names);
  if (reason.startsWith('malformed character constant'))
    return `write texts in double quotes, "x", and the template in single ones: '{{ … }}'`;
  if (reason === 'unexpected EOF') return 'close each if, range and with by {{ end }}';
  if (reason === 'unclosed action' || reason.startsWith('unexpected "}"')) return 'close it with }}';
  for (const action of actions) {
    const hint =
      forBracket(action) ?? forCall(action) ?? forOperator(action, names) ?? forIndex(action, reason, names);
    if (hint !== undefined) return hint;
  }
  return undefined;
}

const BLOCKS = 'write {{ if .input.name }}…{{ else }}…{{ end }} and {{ range .input.list }}{{ . }}{{ end }}';

/** Statements of other template languages, after what to write for them. */
const STATEMENTS = byWord({
  'write {{ range .input.list }}{{ . }}{{ end }}': 'for foreach each',
  'write {{ end }}': 'endfor endif fi',
  'write {{ else if … }}': 'elif elsif elseif',
  'write {{ if not … }}': 'unless',
  'write {{ $name := … }}': 'set let',
  'leave it out: {{ if … }}…{{ end }}': 'then',
  'a path is enough, such as .results.id.items': 'jsonpath jmespath jq',
  'write has VALUE LIST, or contains PART TEXT': 'in',
  'write empty VALUE, eq A B or kindIs "string" VALUE': 'is',
  'write "", or test with empty': 'null None undefined',
  'no secrets are there; take an argument with sensitive: true below args': 'secrets secret credentials',
  'write true': 'True',
  'write false': 'False',
  'write {{ range .input.list }}{{ .name }}{{ end }}': 'map',
  'write {{ range .input.list }}{{ if … }}{{ . }}{{ end }}{{ end }}': 'filter',
});

/** Functions of other languages that no near name gives, in lower case without "_", after those that there are. */
const FUNCTIONS = byWord({
  upper: 'touppercase upcase ucase',
  lower: 'tolowercase downcase lcase',
  title: 'capitalize ucfirst',
  toJson: 'tojsonstring stringify jsonstringify jsonencode dumps jsondumps marshal serialize',
  fromJson: 'parse jsonparse jsondecode loads jsonloads unmarshal parsejson',
  len: 'size count',
  trim: 'strip trimspace',
  eq: 'equals equal isequal same',
  ne: 'notequals notequal neq',
  gt: 'greater greaterthan',
  lt: 'less lessthan',
  ge: 'gte',
  and: 'every',
  contains: 'includes include match',
  hasPrefix: 'startswith beginswith',
  hasSuffix: 'endswith',
  substr: 'slicestr mid',
  int: 'number parseint tonumber',
  float64: 'parsefloat double',
  toString: 'str text',
  printf: 'format fmt concat concatenate strcat',
  empty: 'isnull isnil isdefined defined exists',
  hasKey: 'containskey',
  default: 'ifnull coalescevalue nvl orelse fallback',
  date: 'strftime todate formatdatetime',
  b64enc: 'base64 base64encode btoa tobase64 encodebase64',
  b64dec: 'base64decode atob frombase64 decodebase64',
  regexReplaceAll: 'resub subregex',
  splitList: 'explode tokenize',
  join: 'implode',
  uniq: 'distinct',
  add: 'plus sum',
  sub: 'minus subtract',
  mul: 'times',
  div: 'dividedby',
  now: 'today timestamp currenttime datenow',
  uuidv4: 'guid newguid randomuuid',
});

/** The function that is meant by a name of another language, or by a slip. */
function functionFor(word: string): string | undefined {
  if (FUNCTION_NAMES.includes(word)) return word;
  const plain = word.toLowerCase().replaceAll('_', '');
  return FUNCTIONS.get(plain) ?? nearest(plain, FUNCTION_NAMES, 1)[0];
}

function forWord(word: string, actions: readonly string[], names: Names): string {
  const begin = (one: string): boolean => segmentsOf(one)[0] === word && one.startsWith(word);
  const tokensOf = (one: string): readonly string[] => one.match(TOKEN) ?? [];
  const action = actions.find((one) => tokensOf(one).some(begin)) ?? '';
  const token = tokensOf(action).find(begin) ?? word;
  const isPath = token.length > word.length;
  const [, ...piped] = action.split('|');
  const isPiped = piped.some((one) => one.trim().split(/\W/)[0] === word);
  const isCalled = action.includes(`${token}(`);
  const statement = isPath && !word.startsWith('secret') ? undefined : STATEMENTS.get(word);
  if (statement !== undefined) return statement;
  if (action.startsWith('range ')) return 'write {{ range $one := .input.list }}{{ $one }}{{ end }}';
  const [, asked] = /^\w+[ (]{1,9}["']([\w-]{1,200})["']/.exec(action.slice(action.indexOf(token))) ?? [];
  const path = isPiped || isCalled ? undefined : meantPath(token, names, { isStrict: !isPath });
  const named =
    path ?? (asked === undefined ? undefined : meantPath(`${token}.${asked}`, names, { isStrict: true }));
  if (named !== undefined) return `a path begins with a dot: write {{ ${named} }}${otherFilters(piped)}`;
  const method = isCalled && token.includes('.') ? forMethod(token, names) : undefined;
  if (method !== undefined) return method;
  const quotedNames = isCalled ? (action.match(/(?<=["'])[\w-]+(?=["'])/g) ?? []) : [];
  const [byName] = quotedNames.flatMap((one) => meantPath(one, names, { isStrict: true }) ?? []);
  if (byName !== undefined) return `write {{ ${byName} }}`;
  const name =
    token === 'JSON.parse' ? 'fromJson' : functionFor(isCalled ? String(segmentsOf(token).at(-1)) : word);
  if (name !== undefined) return `did you mean ${name}? write ${example(name)}`;
  return 'a path begins with a dot: write {{ .input.name }} or {{ .results.id }}; a text is in double quotes';
}

/** `results.id.method()` */
function forMethod(token: string, names: Names): string | undefined {
  const at = token.lastIndexOf('.');
  const base = meantPath(token.slice(0, at), names, { isStrict: true });
  if (base === undefined) return undefined;
  const method = token.slice(at + 1);
  const name = method === 'result' ? undefined : functionFor(method);
  return `there are no methods, and a path begins with a dot: write {{ ${base}${name === undefined ? '' : ` | ${name}`} }}`;
}

/** The filters of an action that are not there either. */
function otherFilters(piped: readonly string[]): string {
  const words = piped.map((one) => one.trim().split(/\W/)[0] ?? '');
  const foreign = words.filter((word) => word !== '' && !FUNCTION_NAMES.includes(word));
  return foreign.map((word) => `, and ${functionFor(word) ?? 'another function'} for ${word}`).join('');
}

function example(name: string): string {
  const given = EXAMPLES.get(name);
  if (given !== undefined) return `{{ ${given} }}`;
  return BINARY.has(name) ? `{{ ${name} A B }}` : `{{ .input.name | ${name} }}`;
}
const BINARY = new Set('eq ne gt lt ge le and or add sub mul div mod'.split(' '));
const EXAMPLES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    date: 'now | date "2006-01-02"',
    now: 'now',
    uuidv4: 'uuidv4',
    default: '.input.name | default "x"',
    join: '.input.list | join ", "',
    printf: 'printf "%s-%s" A B',
    contains: '.input.name | contains "part"',
    hasPrefix: '.input.name | hasPrefix "part"',
    hasSuffix: '.input.name | hasSuffix "part"',
    hasKey: 'hasKey .input "name"',
    substr: '.input.name | substr 0 5',
    splitList: '.input.name | splitList ","',
  }),
);

function forVariable(variable: string, source: string, names: Names): string {
  const at = source.indexOf(variable);
  const [token = variable] = source.slice(at + 1).match(TOKEN) ?? [];
  const path = meantPath(token, names);
  return path === undefined
    ? `write {{ ${variable} := … }} first, or a path such as .input.name`
    : `write {{ ${path} }}`;
}

/** `[*]` and `[0:5]`. */
function forBracket(action: string): string | undefined {
  if (action.includes('[*]')) return 'write {{ range .input.list }}{{ .name }}{{ end }}';
  return /\[\d{0,9}:-?\d{0,9}\]/.test(action) ? 'write substr 0 5 TEXT, or slice LIST 0 5' : undefined;
}

/** `f(a, b)` and `.a.method()`. */
function forCall(action: string): string | undefined {
  const [whole, before = '', name = '', inside = ''] =
    /(?<![.\w])([.\w]{0,200}\.)?([A-Za-z]\w{0,60})\(([^()]{0,200})\)/.exec(action) ?? [];
  if (whole === undefined) return undefined;
  const given = (inside.match(/"[^"]*"|'[^']*'|[^,"']+/g) ?? [])
    .map((one) => quoted(one.trim()))
    .filter(Boolean);
  const call = [functionFor(name) ?? name, ...given].join(' ');
  if (before.length > 1) return `there are no methods: write {{ ${before.slice(0, -1)} | ${call} }}`;
  const isPiped = /\|\s{0,9}$/.test(action.slice(0, action.indexOf(whole)));
  return `arguments follow without parentheses and commas: write ${isPiped ? `| ${call}` : call}`;
}

/** Operators between values and the functions for them; the longer first. */
const OPERATORS =
  '=== eq, !== ne, == eq, != ne, >= ge, <= le, && and, || or, ?? or, > gt, < lt, = eq, + add, * mul, / div, % mod, - sub'
    .split(', ')
    .map((one) => one.split(' '));
const FIRST = 'functions stand before their values: write';

function forOperator(action: string, names: Names): string | undefined {
  const bare = action.replaceAll(/"[^"]{0,500}"|'[^']{0,500}'/g, (one) => '_'.repeat(one.length));
  const question = / \? /.exec(bare);
  if (question !== null && bare.includes(':'))
    return 'write {{ if … }}a{{ else }}b{{ end }}, or ternary "a" "b" CONDITION';
  const [, filter] = /\|\s{0,9}(\w{1,60}):/.exec(bare) ?? [];
  if (filter !== undefined) return `write | ${functionFor(filter) ?? filter} "x", without the colon`;
  if (/^(?:if |else if )?\s{0,9}!\s{0,9}[.\w]/.test(bare))
    return `${FIRST} not ${action.replace(/^.{0,20}?!\s{0,9}/, '')}`;
  for (const [sign = '', name = ''] of OPERATORS) {
    const at = sign === '-' ? bare.indexOf(' - ') + 1 : bare.indexOf(sign);
    if (at <= 0) continue;
    const left = valueIn(action.slice(0, at).trim().split(/\s+/).at(-1) ?? '', names);
    const right = valueIn(action.slice(at + sign.length).trim(), names);
    const isText = name === 'add' && (left + right).includes('"');
    return `${FIRST} ${isText ? 'printf "%s%s"' : name} ${left} ${right}`;
  }
  return undefined;
}

/** One value as Go writes it. */
function valueIn(text: string, names: Names): string {
  if (/^["'\d]/.test(text)) return quoted(/^"[^"]{0,200}"|^'[^']{0,200}'|^[\d.]+/.exec(text)?.[0] ?? text);
  const [token = text] = /^[$.\w[\]-]+/.exec(text) ?? [];
  if (/^(?:null|nil|none|undefined)$/i.test(token)) return '""';
  const path = meantPath(token, names, { isStrict: true });
  if (path === undefined || token.startsWith('.input.')) return token;
  return path.includes(' ') ? `(${path})` : path;
}

function quoted(text: string): string {
  return text.replace(/^'([^']*)'$/, '"$1"');
}

/** `.a[0].b`, `.a.b-c` and `.a.0`, which are paths elsewhere. */
function forIndex(action: string, reason: string, names: Names): string | undefined {
  const path = action.match(TOKEN)?.find((one) => /^[.$]/.test(one) && /[[-]|\.\d/.test(one));
  if (path === undefined)
    return reason.startsWith('bad ')
      ? 'a path begins with a dot and has dots between its names: write {{ .input.name }}'
      : undefined;
  return `write {{ ${meantPath(path, names, { isStrict: true }) ?? expressionOf(segmentsOf(path))} }}`;
}
