// Refuses turns of phrase that have to be read twice, in comments, strings and documents (kernel/README.md, Words).
// Prints file:line:column, the words and what to write instead. `--count` prints the number of findings of each folder.
// A folder as argument is looked at in place of this repository.
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import ts from 'typescript';

const ROOT =
  process.argv.slice(2).find((word) => !word.startsWith('-')) ?? new URL('..', import.meta.url).pathname;
const THERE = String.raw`(?<!\bthere\s+(?:(?:may|might|would|will|can|could|should|must|has|have|had|to)\s+)*)`;
const COMPARED =
  'longer|more|less|later|earlier|older|newer|larger|smaller|bigger|greater|higher|lower|better|worse|faster|slower|different';

/** [pattern, what to write instead]; a space matches any white space, so that a line break hides nothing. */
const PHRASES = [
  [String.raw`${THERE}\b(?:is|are|was|were|be|been|being) no (?!(?:${COMPARED})\b)[\w\`'"]+`, '"is not a …"'],
  [String.raw`${THERE}\b(?:is|are|was|were|be) none\b`, '"is not one of …", "has no …"'],
  [
    String.raw`\b(?:whoever|whomever|nobody|somebody|anybody)\b`,
    'the noun: caller, client, server, operator, plugin, "no client"',
  ],
  [String.raw`\b(?:tell|tells|told) of\b`, '"reports …", "notifies … about", "lists …"'],
  [String.raw`\b(?:say|says|said) of\b`, '"reports … about", "declares … for"'],
  [String.raw`\b(?:know|knows|known) of\b`, '"has …", "finds …", "is registered"'],
  [String.raw`\b(?:hears|heard|hearing)\b`, '"receives", "is notified"'],
  [String.raw`\bhardly\b`, '"rarely", "almost never"'],
  [String.raw`\bthereof\b`, '"of it", or the noun'],
  [String.raw`\bstands (?:in|for|there|at|by)\b`, '"is in …", "is listed", "represents", "replaces"'],
  [String.raw`\blies in\b`, '"is in …", "is stored in …"'],
  [String.raw`\bgoes on\b`, '"continues"'],
  [String.raw`\bgoes without\b`, '"has no …", "works without"'],
  [String.raw`\ball the same\b`, '"anyway", "still", "identical"'],
  [String.raw`\bas if nothing\b`, 'what happens instead'],
].map(([pattern, instead]) => ({
  pattern: new RegExp(pattern.replaceAll(' ', String.raw`\s+`), 'gi'),
  instead,
}));

/** With a comma, a sentence usually follows: "After a restart, …". */
const NO_COMMA = String.raw`(?:[^,.:@]|\.(?=\S))*(?:[.:]\s|\*/|@)`;
const PREPOSITIONS =
  'For|In|At(?! (?:most|least))|From|To|On|Among|Under|Until|After|Before|Between|Within|Without|Since|Beyond|Through|During';
/** The beginning of a docstring that is a fragment. */
const FRAGMENT = {
  pattern: new RegExp(
    String.raw`/\*\* (?:(?:Of|With|By|Whose|As whom)\b|(?:${PREPOSITIONS})\b${NO_COMMA})`,
    'g',
  ),
  instead: 'a sentence or a noun phrase, which begins with its subject',
};

/** Paths that are not looked at, each with its reason. */
const SKIPPED = [
  ['plugins/metatools/search/thesaurus/', 'words that people search by'],
  ['.ci/plainEnglish.mjs', 'the list itself'],
  ['test/ci/plainEnglish.test.ts', 'examples of what it refuses'],
];
/** Sentences that stay, each with its reason: path, words, reason. */
const ALLOWED = [];

const LOOKED_AT = ['.ts', '.md', '.mjs', '.cjs'];
const IGNORED_FOLDERS = ['node_modules', 'build', 'dist', '.git'];

function filesBelow(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return IGNORED_FOLDERS.includes(entry.name) ? [] : filesBelow(path);
    return entry.isFile() && LOOKED_AT.includes(extname(path)) ? [path] : [];
  });
}

/** The source at its own offsets, with everything but comments, strings and template texts blanked out. */
function proseOf(path, text) {
  if (extname(path) === '.md') return text;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const spans = [];
  const visit = (node) => {
    for (const comment of [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ])
      spans.push([comment.pos, comment.end, /^\/\/|^\/\*+|\n[ \t]*\*(?!\/)|\*+\/$/g]);
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      spans.push([node.getStart(), node.end, /^['"`}]|['"`]$|\$\{$/g]);
    node.getChildren().forEach(visit);
  };
  visit(source);
  const out = text.split('').map((char) => (/\s/.test(char) ? char : '\0'));
  for (const [from, to, marks] of spans) {
    const kept = text.slice(from, to).replace(marks, (mark) => mark.replace(/\S/g, ' '));
    for (let at = 0; at < kept.length; at++) out[from + at] = kept[at];
  }
  return out.join('');
}

function findingsIn(path) {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const prose = proseOf(path, text);
  const rules = PHRASES.map((rule) => ({ ...rule, searched: prose }));
  if (path.endsWith('.ts')) rules.push({ ...FRAGMENT, searched: text });
  return rules
    .flatMap(({ pattern, instead, searched }) =>
      [...searched.matchAll(pattern)].map((match) => {
        const before = text.slice(0, match.index).split('\n');
        return {
          path,
          line: before.length,
          column: before.at(-1).length + 1,
          words: match[0].replace(/\s+/g, ' '),
          instead,
        };
      }),
    )
    .filter(({ words }) => !ALLOWED.some(([where, allowed]) => where === path && allowed === words))
    .sort((a, b) => a.line - b.line || a.column - b.column);
}

const files = filesBelow('.').filter((path) => !SKIPPED.some(([start]) => path.startsWith(start)));
const findings = files.flatMap(findingsIn);
if (process.argv.includes('--count')) {
  const folders = new Map();
  for (const { path } of findings) {
    const folder = path.split('/').slice(0, -1).slice(0, 2).join('/') || path;
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  for (const [folder, count] of [...folders].sort()) console.log(`${String(count).padStart(5)} ${folder}`);
} else
  for (const { path, line, column, words, instead } of findings)
    console.log(`${path}:${line}:${column} "${words}": write ${instead}`);
if (findings.length > 0) {
  console.log(`${findings.length} findings`);
  process.exitCode = 1;
}
