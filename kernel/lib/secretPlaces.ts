import { HIDDEN, isSecretName } from './hiding.ts';
import type { Secret } from './hiding.ts';

/** @param name under which the secret stands: a parameter, a flag, `path segment 2` @returns what stands there instead */
export type ReplaceSecret = (secret: string, name: string) => string;

/** Whether something stood there that was hidden, and came back; in a url it may be encoded. */
export function isHidden(text: string): boolean {
  return text.replace(/%5b/i, '[').replace(/%5d/i, ']') === HIDDEN;
}

const MIN_PROSE_CHARS = 8;
const MIN_NAME_CHARS = 20;
const USER = 'user and password';
const PARTS = /^((?:[a-z][\w+.-]*:)?(?:\/\/[^/?#]*)?)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;

/** A url, its secrets replaced: user and password, each value of the query, the fragment, and of the path what looks like a token
 *  or comes after a name such as `key`. */
export function replaceInUrl(url: string, replace: ReplaceSecret): string {
  const [, head = '', path = '', query, fragment = ''] = PARTS.exec(url) ?? [];
  const segments = path.split('/');
  const shown = segments.map((segment, at) =>
    isSecretSegment(segment, segments[at - 1] ?? '') ? replace(segment, `path segment ${at}`) : segment,
  );
  const pairs = query?.split('&').map((pair) => {
    const [, name = '', value = ''] = /^([^=]*=)?(.*)$/s.exec(pair) ?? [];
    return value === '' ? pair : name + replace(value, `parameter ${name.slice(0, -1)}`);
  });
  return [
    head.replace(/(?<=\/\/).+(?=@)/s, (user) => replace(user, USER)),
    shown.join('/'),
    pairs === undefined ? '' : `?${pairs.join('&')}`,
    fragment === '' ? '' : `#${replace(fragment, 'fragment')}`,
  ].join('');
}

function isSecretSegment(segment: string, before: string): boolean {
  if (segment === '') return false;
  if (looksLikeToken(segment) || isHidden(segment)) return true;
  const [name = '', value] = segment.split('=', 2);
  // `/auth/mcp` is an address.
  return value === undefined ? isSecretName(before) && !/auth/i.test(before) : isSecretName(name);
}

/** Eight letters and digits in a row, a digit among them; or over twenty. */
export function looksLikeToken(text: string): boolean {
  return /(?=[a-z]*\d)[a-z0-9]{8}|[a-z0-9]{21}/i.test(text.replace(/%[0-9a-f]{2}/gi, ' '));
}

/** As it may be shown. */
export function hiddenUrl(url: string): string {
  return replaceInUrl(url, () => HIDDEN);
}

/** Words of a command, their secrets replaced: `--token VALUE`, `--api-key=VALUE`, `API_KEY=VALUE`, `X-Api-Key: VALUE`,
 *  `{"apiKey":"VALUE"}`, and those of urls. */
export function replaceInWords(words: readonly string[], replace: ReplaceSecret): readonly string[] {
  return words.map((word, at) => {
    const [, flag] = /^--?([\w.-]+)$/.exec(words[at - 1] ?? '') ?? [];
    if (flag !== undefined && isSecretName(flag) && !word.startsWith('-')) return replace(word, flag);
    const [, head, name = '', value = ''] = /^(-{0,2}([\w.-]+)(?:=|:\s*))(?!\/\/)(.+)$/s.exec(word) ?? [];
    if (head !== undefined && isSecretName(name)) return head + replace(value, name);
    return word
      .replace(
        /("([\w.-]+)"\s*:\s*")((?:[^"\\]|\\.)+)/g,
        (whole, before: string, key: string, text: string) =>
          isSecretName(key) ? before + replace(text, key) : whole,
      )
      .replace(/[a-z][\w+.-]*:\/\/[^\s"']+/gi, (url) => replaceInUrl(url, replace));
  });
}

/** As they may be shown. */
export function hiddenWords(words: readonly string[]): readonly string[] {
  return replaceInWords(words, () => HIDDEN);
}

/** What a definition gives its server in confidence.
 *  @param given `values`: env or headers by name, references filled in; `words`: of the command */
export function secretsGiven(given: {
  readonly values: Iterable<readonly [string, string]>;
  readonly url?: string;
  readonly words?: readonly string[];
}): readonly Secret[] {
  const found: Secret[] = [];
  const take: ReplaceSecret = (text, name) => {
    const parts = name === USER ? secretsOfUser(text) : [text];
    found.push(...parts.map((part) => ({ name, text: part })));
    return text;
  };
  for (const [name, text] of given.values) {
    take(text, name);
    replaceInWords([text], take);
  }
  replaceInWords(given.words ?? [], take);
  replaceInUrl(given.url ?? '', take);
  return found;
}

/** Those that a text about something else would not hold by chance: no words, no paths, no addresses. */
export function inProse(secrets: readonly Secret[]): readonly Secret[] {
  return secrets.filter(({ name, text }) => {
    if (text.length < MIN_PROSE_CHARS) return false;
    if (isSecretName(name)) return !/^[a-z]{1,11}$/i.test(text);
    return /^\S*\d\S*$/.test(text) && !/^[~.]*\/|:\/\//.test(text);
  });
}

/** Of those, the ones that no name would hold, as it may hold that of a model or a region. */
export function inNames(secrets: readonly Secret[]): readonly Secret[] {
  return inProse(secrets).filter(({ name, text }) => isSecretName(name) || text.length >= MIN_NAME_CHARS);
}

/** Beside a password the user is a name, unless it is the token. */
function secretsOfUser(text: string): readonly string[] {
  const [user = '', ...password] = text.split(':');
  if (password.length === 0) return [user];
  return looksLikeToken(user) ? [user, password.join(':')] : [password.join(':')];
}
