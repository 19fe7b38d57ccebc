import { CallError } from '../errors.ts';
import { escapePercent, percentTexts, unescapePercent } from '../escape.ts';
import { quote } from '../quote.ts';

interface UserInfo {
  readonly name: string;
  readonly password: string | undefined;
}

export interface UrlParts {
  readonly scheme: string;
  readonly opaque: string;
  readonly user: UserInfo | undefined;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

/** Why a text is not a valid URL; the caller adds the text itself. */
class UrlProblem extends Error {}

/** Go's net/url.Parse. @throws CallError `<prefix>: parse "…": …` */
export function parseUrl(text: string, prefix: string): UrlParts {
  const [before, after] = cut(text, '#');
  const failure = (shown: string, cause: unknown): unknown =>
    cause instanceof UrlProblem ? new CallError(`${prefix}: parse ${quote(shown)}: ${cause.message}`) : cause;
  let parts: Omit<UrlParts, 'fragment'>;
  try {
    parts = parseWithoutFragment(before);
  } catch (cause) {
    throw failure(before, cause);
  }
  try {
    return { ...parts, fragment: unescape(after ?? '') };
  } catch (cause) {
    throw failure(text, cause);
  }
}

function cut(text: string, separator: string): [before: string, after: string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)];
}

function parseWithoutFragment(text: string): Omit<UrlParts, 'fragment'> {
  if (/\p{Cc}/u.test(asciiOf(text))) throw new UrlProblem('net/url: invalid control character in URL');
  const none = { scheme: '', opaque: '', user: undefined, host: '', path: '', query: '' };
  if (text === '*') return { ...none, path: '*' };
  const { scheme, rest: withQuery } = splitScheme(text);
  const [rest, query = ''] = cut(withQuery, '?');
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...none, scheme, opaque: rest, query };
    if (cut(rest, '/')[0].includes(':'))
      throw new UrlProblem('first path segment in URL cannot contain colon');
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'));
  if (!hasAuthority) return { ...none, scheme, path: unescape(rest), query };
  const slash = rest.indexOf('/', 2);
  const authority = rest.slice(2, slash < 0 ? undefined : slash);
  const path = slash < 0 ? '' : rest.slice(slash);
  return { ...none, scheme, ...parseAuthority(authority), path: unescape(path), query };
}

// Go's check ignores control characters beyond ASCII.
function asciiOf(text: string): string {
  return text.replace(/[^\0-\x7f]/g, '');
}

function splitScheme(text: string): { scheme: string; rest: string } {
  if (text.startsWith(':')) throw new UrlProblem('missing protocol scheme');
  const match = /^([A-Za-z][A-Za-z0-9+\-.]*):/.exec(text);
  if (!match) return { scheme: '', rest: text };
  return { scheme: (match[1] ?? '').toLowerCase(), rest: text.slice(match[0].length) };
}

function parseAuthority(authority: string): Pick<UrlParts, 'user' | 'host'> {
  const at = authority.lastIndexOf('@');
  const host = parseHost(authority.slice(at + 1));
  if (at < 0) return { user: undefined, host };
  const userinfo = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(userinfo)) throw new UrlProblem('net/url: invalid userinfo');
  const [name, password] = cut(userinfo, ':');
  return {
    user: { name: unescape(name), password: password === undefined ? undefined : unescape(password) },
    host,
  };
}

function parseHost(host: string): string {
  if (host.startsWith('[')) {
    const close = host.lastIndexOf(']');
    if (close < 0) throw new UrlProblem("missing ']' in host");
    checkPort(host.slice(close + 1));
  } else if (host.includes(':')) {
    checkPort(host.slice(host.lastIndexOf(':')));
  }
  const bad = /[\0-\x7f]/g;
  for (const [char] of host.matchAll(bad)) {
    if (char !== '%' && !IN_HOST.test(char))
      throw new UrlProblem(`invalid character ${quote(char)} in host name`);
  }
  // In a host only non-ASCII bytes and the percent sign of an IPv6 zone may be escaped.
  const ascii = /%(?!25)[0-7][0-9a-fA-F]/.exec(host);
  if (ascii) throw new UrlProblem(`invalid URL escape ${quote(ascii[0])}`);
  return unescape(host);
}

function checkPort(port: string): void {
  if (port !== '' && !/^:\d*$/.test(port)) throw new UrlProblem(`invalid port ${quote(port)} after host`);
}

function unescape(text: string): string {
  const result = unescapePercent(text);
  if ('text' in result) return result.text;
  throw new UrlProblem(`invalid URL escape ${quote(result.bad)}`);
}

/** The host without port and brackets. */
export function hostnameOf(host: string): string {
  const colon = host.lastIndexOf(':');
  const bare = colon >= 0 && /^:\d*$/.test(host.slice(colon)) ? host.slice(0, colon) : host;
  return bare.startsWith('[') && bare.endsWith(']') ? bare.slice(1, -1) : bare;
}

const USER = percentTexts(/[A-Za-z0-9\-_.~$&+,;=]/);
const IN_HOST = /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/;
const HOST = percentTexts(IN_HOST);
const PATH = percentTexts(/[A-Za-z0-9\-_.~$&+,/:;=@]/);
const FRAGMENT = percentTexts(/[A-Za-z0-9\-_.~$&+,/:;=?@!()*]/);

export function userinfoText({ name, password }: UserInfo): string {
  const user = escapePercent(name, USER);
  return password === undefined ? user : `${user}:${escapePercent(password, USER)}`;
}

/** Go's URL.String. */
export function printUrl(url: UrlParts): string {
  let text = url.scheme === '' ? '' : `${url.scheme}:`;
  text += url.opaque === '' ? authorityAndPath(url, text) : url.opaque;
  if (url.query !== '') text += `?${url.query}`;
  return url.fragment === '' ? text : `${text}#${escapePercent(url.fragment, FRAGMENT)}`;
}

function authorityAndPath({ scheme, host, user, path }: UrlParts, before: string): string {
  let text = '';
  const hasAuthority = scheme !== '' || host !== '' || user !== undefined;
  if (hasAuthority && (host !== '' || path !== '' || user)) {
    text += `//${user ? `${userinfoText(user)}@` : ''}${escapePercent(host, HOST)}`;
  }
  const escaped = path === '*' ? path : escapePercent(path, PATH);
  if (escaped !== '' && !escaped.startsWith('/') && host !== '') text += '/';
  if (before + text === '' && cut(escaped, '/')[0].includes(':')) text += './';
  return text + escaped;
}
