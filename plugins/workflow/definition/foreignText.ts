import { meantPath, segmentsOf } from './meantPath.ts';
import type { Names } from './meantPath.ts';

const MAX_CHARS = 4000;
/** Paths in the brackets of other languages, `${…}` and such; the path is the first group. */
const FORMS: readonly RegExp[] = [
  /\$\{\{? {0,3}([$.\w[\]'"-]+) {0,3}\}?\}/g,
  /\$\( {0,3}([.\w[\]'"-]+) {0,3}\)/g,
  /[#@%]\{ {0,3}([$.\w[\]'"-]+) {0,3}\}/g,
  /@\{? {0,3}([a-z]+\(['"][\w-]+)['"]\)\}?/g,
  /%\(([.\w]+)\)s/g,
  /<< {0,3}([.\w-]+) {0,3}>>/g,
  /(?<![\w$])\$([A-Za-z_]\w*)$/g,
  /\$\{[^{}"']{0,80}["']([\w-]{1,80})["'][^{}]{0,80}\}/g,
  /<([A-Za-z_]\w*\.[\w.-]+)>/g,
  /<%=? {0,3}([$.\w[\]'"-]+) {0,3}%>/g,
  /\[\[ {0,3}([$.\w'"-]+) {0,3}\]\]/g,
  /(?<![{$#@%\w])\{ {0,3}([$.\w[\]'"-]+) {0,3}\}(?!\})/g,
  /(?<![\w$])\$\.?([A-Za-z_]\w*\.[\w.[\]-]+)/g,
  /^=?\.?([A-Za-z_]\w*\.[\w.[\]-]+)$/g,
];
const PARTS = new Set(
  'input inputs args params parameters results steps step outputs vars variables'.split(' '),
);

const SIGNS: readonly (readonly [sign: RegExp, note: string])[] = [
  [/\$\{\{/, 'the $ before {{ is sent as well; write {{ … }} if it is not meant'],
  [/^=\{\{/, 'the = before {{ is sent as well; write {{ … }} alone'],
  [
    /\{%/,
    '{% … %} is sent as it is; write {{ if .input.name }}…{{ end }} and {{ range .input.list }}{{ . }}{{ end }}',
  ],
  [/\{#/, '{# … #} is sent as it is; write a comment as {{/* … */}}'],
];

/** What in a text of a definition is probably meant as a template, but is sent as it is. */
export function foreignText(text: string, names: Names): readonly string[] {
  const source = text.slice(0, MAX_CHARS);
  const notes = [
    ...SIGNS.filter(([sign]) => sign.test(source)).map(([, note]) => note),
    ...(source.match(/\{\{[^{}]*\}\}/g) ?? []).flatMap(insideAction),
  ];
  const outside = source.replaceAll(/\{\{[^{}]*\}\}/g, '\n').trim();
  for (const form of FORMS) {
    for (const [whole, path = ''] of outside.matchAll(form)) {
      const meant = meantIn(path, whole, { isAll: whole === outside, names });
      if (meant !== undefined)
        notes.push(`${JSON.stringify(whole)} is sent as it is; write '{{ ${meant} }}'`);
    }
  }
  return [...new Set(notes)];
}

/** Only what names something that is there, or looks like nothing else: a text may hold a script or the name of a file. */
function meantIn(
  path: string,
  whole: string,
  { isAll, names }: { readonly isAll: boolean; readonly names: Names },
): string | undefined {
  const [root, first] = segmentsOf(path);
  if (root === undefined) return undefined;
  const known: readonly (string | number)[] = [...names.inputs, ...names.steps, ...names.vars];
  const isPart = PARTS.has(String(root));
  const isBare = /^[A-Za-z]/.test(whole);
  const isMeant =
    first === undefined
      ? isAll && !isBare && known.includes(root)
      : isBare
        ? isPart && known.includes(first)
        : isPart || known.includes(root) || known.includes(first);
  return isMeant ? meantPath(path, names, { isStrict: true }) : undefined;
}

/** What parses, but means something else. */
function insideAction(action: string): readonly string[] {
  const characters = action.replaceAll(/"[^"]*"/g, '""').match(/'[^'\\]'/) ?? [];
  const notes = characters.map((one) => `${one} is the number of a character; write "${one[1] ?? ''}"`);
  const [, left, word] =
    /^\{\{-?\s{0,9}(?:if |else if |with )?\s{0,9}(\.[\w.]{1,200})\s{1,9}(or|and|eq|ne|lt|gt|le|ge|in|contains|default)\s/.exec(
      action,
    ) ?? [];
  if (left !== undefined && word !== undefined)
    notes.push(`functions stand before their values; write ${word === 'in' ? 'has' : word} ${left} …`);
  return notes;
}
