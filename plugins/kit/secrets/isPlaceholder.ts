import { isPassword } from './hiding.ts';

const MAX_CHARS = 200;
const SCHEME = /^(?:bearer|basic|token) /i;
const FORMS = [
  // <token>, [YOUR TOKEN], {{token}}, %TOKEN%
  /^<[^<>]*>$/,
  /^\[[a-z][\w .-]*\]$/i,
  /^\{\{[^{}]+\}\}$/,
  /^%[a-z_]+%$/i,
  // sk-..., ghp_xxxx, ntn_****, 0x...
  /^(?:[\w-]{0,14}[-_:]|0x)?(?:\.{3,}|…|[*•]{2,}|x{3,})$/i,
  // keyXXXXXXXX
  /^[a-z]\w{0,6}X{6,}$/i,
  /^(?:todo|fixme|tbd|placeholder|redacted)$/i,
];
/** What people are told to put there. */
const WANTED = new Set(
  'account actual anon api app bot bucket channel client credential credentials database db domain email host id instance key name org own password pat private profile project public region secret server service site team tenant token url user username value webhook workspace zone'.split(
    ' ',
  ),
);
const ASKING = new Set(['insert', 'paste', 'enter', 'put', 'add', 'fill', 'set', 'replace', 'your']);

/** Whether a value only says that one belongs there, as the examples of documents do: `YOUR_API_KEY`, `<token>`, `sk-...`.
 *  @param name of its variable, header or flag: people choose passwords such as `Change-This-Now-7` */
export function isPlaceholder(value: string, name = ''): boolean {
  if (value.length > MAX_CHARS) return false;
  const text = value.trim().replace(SCHEME, '');
  if (FORMS.some((form) => form.test(text))) return true;
  if (!/^[\w .'-]+$/.test(text) || (/\d/.test(text) && isPassword(name))) return false;
  const words = text
    .replace(/(?<=[a-z])(?=[A-Z])/g, '-')
    .toLowerCase()
    .split(/[-_ .]+/);
  return isOfLetters(words) || isRequest(words);
}

/** `sk-xxxx-xxxx` */
function isOfLetters([, ...words]: readonly string[]): boolean {
  return words.length > 0 && words.every((word) => /^x{3,}$/.test(word));
}

/** `ghp_your_token_here`, `REPLACE_ME`, `change-me-in-production`, `PASTE_PRIVATE_KEY` */
function isRequest(words: readonly string[]): boolean {
  const said = words.join(' ');
  if (/^(?:change|replace) ?(?:me|this)(?: |$)| change ?me$/.test(said)) return true;
  const isAsked = words.slice(0, 2).some((word) => ASKING.has(word)) || words.at(-1) === 'here';
  return isAsked && words.some((word) => WANTED.has(word));
}
