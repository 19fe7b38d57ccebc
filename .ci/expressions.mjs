// Refuses regular expressions whose time grows faster than the text that they read: literals, `new RegExp` of constant text,
// and patterns of schemas. Prints file:line, the expression, and a text that takes it long.
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { check } from 'recheck';
import ts from 'typescript';

const ROOT = new URL('..', import.meta.url).pathname;
/** An expression that takes longer to check is refused too. Attacks are bounded by steps alone: what times out counts as slow,
 *  so a busy machine would refuse good ones. */
const LIMITS = { timeout: 60_000, attackTimeout: null, incubationTimeout: null };

/** Expressions that stay although the checker refuses them or cannot read them: path, expression, why. */
const ACCEPTED = [
  [
    'kernel/faultPlace.ts',
    String.raw`/(file:\/\/[^\s()]+?):(\d+)/g`,
    'reads the stack of a plugin that failed to load, whose code has already run here',
  ],
  [
    'plugins/kit/secrets/hiding.ts',
    String.raw`new RegExp(patterns.join('|'), 'g')`,
    'literal texts, and in base64 and urls alternatives of one character, without repetition',
  ],
  [
    'plugins/kit/secrets/secretPlaces.ts',
    String.raw`/(?<=\/\/).+(?=@)/s`,
    'reads the beginning of a url as PARTS of that file matches it: // occurs once in it',
  ],
  [
    'plugins/kit/secrets/secretPlaces.ts',
    String.raw`/[a-z][\w+.-]{0,30}:\/\/[^\s"']+/gi`,
    'takes at most 31 steps for each character: 6 ms for 80,000 of them',
  ],
  [
    'plugins/kit/files/editYaml.ts',
    String.raw`/^( *)[^\s#-].*:[ \t]*\n\1- /m`,
    'the back reference is read once a line, and the blanks after each colon once',
  ],
  [
    'kernel/lib/markedSecrets.ts',
    "new RegExp(pattern, 'u')",
    'a pattern of property names: of our schemas, which are checked here, or of a plugin, which runs its own code anyway',
  ],
  [
    'plugins/metatools/results/select.ts',
    'new RegExp(`"${MARK}([^"]+)"`, \'g\')',
    'the mark is a UUID; what follows it ends at the first quote',
  ],
  [
    'plugins/vault-redis/verifyStore.ts',
    "new RegExp(`^${name}:(.*?)\\\\r?$`, 'm')",
    'the name is one of three words of that file; a line of INFO is read once',
  ],
  [
    'plugins/workflow/gotpl/timeParse.ts',
    'new RegExp(`^([+-])${pattern}`)',
    'the pattern is a token of timeLayout.ts: at most seven characters, without repetition',
  ],
];

function filesBelow(folder, extensions) {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => extensions.includes(extname(path)) && !path.includes('node_modules'));
}

/** @returns the expressions of a source: `text` as written, `source` and `flags` unless it is composed at run time */
function expressionsIn(path) {
  const file = ts.createSourceFile(
    path,
    readFileSync(join(ROOT, path), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found = [];
  const constants = new Map();
  const visit = (node, act) => {
    act(node);
    ts.forEachChild(node, (child) => visit(child, act));
  };
  const add = (node, parts) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    found.push({ path, line: line + 1, text: node.getText(), ...parts });
  };
  visit(file, (node) => {
    if (ts.isVariableDeclaration(node) && node.parent.flags & ts.NodeFlags.Const)
      constants.set(node.name.getText(), node.initializer);
  });
  visit(file, (node) => {
    if (ts.isRegularExpressionLiteral(node)) add(node, partsOf(node.text));
    else if (ts.isNewExpression(node) && node.expression.getText() === 'RegExp') {
      const [source, flags] = (node.arguments ?? []).map((one) => constantText(one, constants));
      add(node, source === undefined ? {} : { source, flags: flags ?? '' });
    } else if (ts.isPropertyAssignment(node) && node.name.getText() === 'pattern')
      if (ts.isStringLiteralLike(node.initializer)) add(node, { source: node.initializer.text, flags: 'u' });
  });
  return found;
}

function partsOf(literal) {
  const end = literal.lastIndexOf('/');
  return { source: literal.slice(1, end), flags: literal.slice(end + 1) };
}

/** The text of a string, of a template of constants, or of the source of an expression; undefined if it is not constant. */
function constantText(node, constants) {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isIdentifier(node)) return constantText(constants.get(node.text), constants);
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') {
    const literal = constants.get(node.expression.getText());
    return literal && ts.isRegularExpressionLiteral(literal) ? partsOf(literal.text).source : undefined;
  }
  if (!ts.isTemplateExpression(node)) return undefined;
  const texts = node.templateSpans.map(({ expression, literal }) => {
    const text = constantText(expression, constants);
    return text === undefined ? undefined : text + literal.text;
  });
  return texts.includes(undefined) ? undefined : node.head.text + texts.join('');
}

/** `pattern` and the keys of `patternProperties`, which the validator compiles with the flag u. */
function patternsIn(path) {
  const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
  const found = [];
  const add = (source) => {
    const line = lines.findIndex((one) => one.includes(JSON.stringify(source))) + 1;
    found.push({ path, line, text: source, source, flags: 'u' });
  };
  const visit = (value) => {
    if (typeof value !== 'object' || value === null) return;
    if (typeof value.pattern === 'string') add(value.pattern);
    for (const key of Object.keys(value.patternProperties ?? {})) add(key);
    for (const one of Object.values(value)) visit(one);
  };
  visit(JSON.parse(lines.join('\n')));
  return found;
}

/** @returns why an expression is refused, or undefined */
async function faultOf({ source, flags }) {
  if (source === undefined) return 'is composed at run time, so it cannot be checked';
  // Without unbounded repetition the steps from one place have a bound.
  if (!/[*+]|,\}/.test(source)) return undefined;
  // The checker only guesses texts for these, and has missed quadratic ones.
  if (/(?:^|[^\\])(?:\\\\)*\\(?:[1-9]|k<)/.test(source))
    return 'has a back reference, so it cannot be checked: name the characters';
  // A sticky expression begins at one place, which the checker does not know.
  const isSticky = flags.includes('y') && !flags.includes('g');
  const { status, complexity, attack, error } = isSticky
    ? await check(`^(?:${source})`, flags.replace('y', ''), LIMITS)
    : await check(source, flags, LIMITS);
  if (status === 'safe') return undefined;
  if (status === 'unknown') return `could not be checked: ${error.kind}`;
  const growth =
    complexity.type === 'exponential' ? 'exponentially with the length' : `as length^${complexity.degree}`;
  return `takes time that grows ${growth} of the text, such as ${attack.pattern.slice(0, 200)}`;
}

const sources = [
  ...filesBelow('kernel', ['.ts', '.js', '.mjs']),
  ...filesBelow('plugins', ['.ts', '.js', '.mjs']),
];
const all = [
  ...sources.flatMap(expressionsIn),
  ...[...filesBelow('schemas', ['.json']), ...filesBelow('plugins', ['.json'])].flatMap(patternsIn),
];
const isIn = (list, { path, text }) => list.some(([where, what]) => where === path && what === text);
const problems = ACCEPTED.filter(([path, text]) => !all.some((one) => isIn([[path, text]], one))).map(
  ([path, text]) =>
    `${path} ${text} is accepted by .ci/expressions.mjs, but does not exist; take it out of the list`,
);
const faults = new Map();
for (const one of all.filter((each) => !isIn(ACCEPTED, each))) {
  const { path, line, text, source, flags } = one;
  const key = `/${source}/${flags}`;
  if (!faults.has(key)) faults.set(key, await faultOf(one));
  const fault = faults.get(key);
  if (fault !== undefined) problems.push(`${path}:${line} ${text} ${fault}`);
}
for (const problem of problems) console.log(problem);
if (problems.length > 0) {
  console.log(
    'let each character be read once (an anchor, a lookbehind, classes that exclude each other), or bound the text and add',
    'the expression to ACCEPTED in .ci/expressions.mjs with its reason',
  );
}
console.log(`${faults.size} expressions checked, ${ACCEPTED.length} accepted, ${problems.length} refused`);
// The checker's process would keep this one alive.
process.exit(problems.length === 0 ? 0 : 1);
