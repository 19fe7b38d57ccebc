import { HIDDEN } from 'pegboard';
import { isCredentials, isSecretName } from './hiding.ts';
import { isToken } from './secretForms.ts';
import type { Secret } from 'pegboard/contracts';

/** @param name what the secret is: a parameter, a flag, `path segment 2` @returns the text to put in its place */
export type ReplaceSecret = (secret: string, name: string) => string;

type Words = readonly string[];

/** Whether a text is HIDDEN, sent back by a client; in a url it may be encoded. */
export function isHidden(text: string): boolean {
  return text.replace(/%5b/i, '[').replace(/%5d/i, ']') === HIDDEN;
}

const USER = 'user and password';
/** A header in the script of a shell. */
const IN_QUOTES = /["']([\w-]+):\s*([^"'\s][^"']*)["']/g;
/** A password before the host, in an address without a scheme. */
const AT_HOST = /^(?!(?:npm|jsr|pip|mailto|acct|file|docker):)([\w.-]+:)([^\s:@/]+)(?=@(?!sha\d)[\w([])/i;
const PAIR = /^([\w\s.-]+)=(.+)$/s;
const IN_JSON = /("([\w.-]+)"\s*:\s*")((?:[^"\\]|\\.)+)/g;
const PARTS = /^((?:[a-z][\w+.-]*:)?(?:\/\/[^/?#]*)?)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;

/** A url as it may be shown, with its secrets replaced: user and password, each value of the query, the fragment, and in the
 *  path each segment that looks like a token or follows a name such as `key`. */
export function hideInUrl(url: string, replace: ReplaceSecret = () => HIDDEN): string {
  const [, head = '', path = '', query, fragment = ''] = PARTS.exec(url) ?? [];
  const segments = path.split('/');
  const shown = segments.map((segment, at) => {
    const before = segments[at - 1] ?? '';
    if (!isSecretSegment(segment, before)) return segment;
    return replace(segment, isNameBefore(before) ? `path segment after ${before}` : `path segment ${at}`);
  });
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

/** Which part of a url a name given by hideInUrl() is. */
export function partOfUrl(name: string): 'user' | 'place' | undefined {
  if (name === USER) return 'user';
  return /^(?:path segment|parameter) |^fragment$/.test(name) ? 'place' : undefined;
}

function isSecretSegment(segment: string, before: string): boolean {
  if (segment === '' || looksLikeToken(segment) || isHidden(segment)) return segment !== '';
  const [name = '', value] = segment.split('=', 2);
  return value === undefined ? isNameBefore(before) : isSecretName(name);
}

/** `/auth/mcp` is an ordinary address. */
function isNameBefore(before: string): boolean {
  return isSecretName(before) && !/auth/i.test(before);
}

/** Eight letters and digits in a row, at least one of them a digit; or more than twenty. */
export function looksLikeToken(text: string): boolean {
  return /(?=[a-z]*\d)[a-z0-9]{8}|[a-z0-9]{21}/i.test(text.replace(/%[0-9a-f]{2}/gi, ' '));
}

/** Words of a command as they may be shown, with their secrets replaced: `--token VALUE`, `--api-key=VALUE`, `API_KEY=VALUE`,
 *  `X-Api-Key: VALUE`, `{"apiKey":"VALUE"}`, `Server=h;Password=VALUE`, tokens of well-known services, and those in urls; also in
 *  a word that is a command itself. */
export function hideInWords(words: Words, replace: ReplaceSecret = () => HIDDEN): Words {
  return words.map((word, at) => {
    const [, flag] = /^--?([\w.-]+)$/.exec(words[at - 1] ?? '') ?? [];
    if (flag !== undefined && isSecretAt(flag, word) && !word.startsWith('-')) return replace(word, flag);
    return hideInWord(word, replace);
  });
}

function hideInWord(word: string, replace: ReplaceSecret): string {
  if (isToken(word)) return replace(word, 'argument');
  const [, head, name = '', value = ''] = /^(-{0,2}([\w.-]+)(?:=|:\s*))(?!\/\/)(.+)$/s.exec(word) ?? [];
  if (head !== undefined && isSecretAt(name, value)) return head + replace(value, name);
  // `--header=X-Key: VALUE`, `--env=TOKEN=VALUE`
  if (head?.startsWith('-') === true && !value.startsWith('-')) return head + hideInWord(value, replace);
  const pairs = pairsIn(word);
  if (pairs !== undefined) return pairs.map((pair) => hideInPair(pair, replace)).join(';');
  // The script of a shell, or a whole command as one text.
  if (/\s/.test(word) && word.search(IN_JSON) < 0) {
    const script = word.replace(IN_QUOTES, (whole: string, key: string, text: string) =>
      isSecretName(key) ? whole.slice(0, -1 - text.length) + replace(text, key) + whole.slice(-1) : whole,
    );
    const gaps = script.match(/\s+/g) ?? [];
    return hideInWords(script.split(/\s+/), replace)
      .map((part, gap) => part + (gaps[gap] ?? ''))
      .join('');
  }
  return word
    .replace(IN_JSON, (whole: string, before: string, key: string, text: string) =>
      isSecretName(key) || isToken(text) ? before + replace(text, key) : whole,
    )
    .replace(AT_HOST, (_, user: string, password: string) => user + replace(password, 'password'))
    .replace(/[a-z][\w+.-]{0,30}:\/\/[^\s"']+/gi, (url) => hideInUrl(url, replace));
}

/** The option `--user node:group` of docker holds no credentials. */
function isSecretAt(name: string, value: string): boolean {
  return isSecretName(name) || (/auth|login|cred/i.test(name) && isCredentials(name, value));
}

/** The parts of a connection string, as databases and clouds write them. */
function pairsIn(word: string): readonly string[] | undefined {
  const pairs = word.split(';');
  const isOne = pairs.length > 1 && pairs.every((pair) => /^\s*(?:\w[\w .-]*=|$)/.test(pair));
  return isOne ? pairs : undefined;
}

function hideInPair(pair: string, replace: ReplaceSecret): string {
  const [, name = '', value = ''] = PAIR.exec(pair) ?? [];
  return isSecretName(name.trim()) || isToken(value) ? `${name}=${replace(value, name.trim())}` : pair;
}

/** The secrets that a definition passes to its server.
 *  @param given `values`: env or headers by name, references filled in; `words`: of the command */
export function secretsGiven(given: {
  readonly values: Iterable<readonly [string, string]>;
  readonly url?: string;
  readonly words?: Words;
}): readonly Secret[] {
  const found: Secret[] = [];
  const take: ReplaceSecret = (text, name) => {
    const parts = name === USER ? text.split(':') : [text];
    // Next to a password, the user name is not secret, unless it looks like a token.
    const secrets = parts.filter((part, at) => at > 0 || parts.length === 1 || looksLikeToken(part));
    found.push(...secrets.map((secret) => ({ name, text: secret })));
    return text;
  };
  for (const [name, text] of given.values) {
    take(text, name);
    hideInWords([text], take);
  }
  hideInWords(given.words ?? [], take);
  hideInUrl(given.url ?? '', take);
  return found;
}
