import { HIDDEN, isObject } from 'pegboard';
import type { Hide, Secret } from 'pegboard/contracts';
import { spaced } from './names.ts';

/** Shorter values (`true`, `8080`) are not secrets, and hiding them would only garble texts. */
const MIN_CHARS = 8;
/** The same bound for values whose name marks them as secret. */
const MIN_NAMED_CHARS = 4;
const NO_SECRET = /^(true|false|null|none|undefined)$/i;
const SECRET_NAME =
  /passw(?:or)?d|passphrase|passcode|mnemonic|(?:seed|recovery)[-_ ]?phrase|secret|token(?!i[sz])|api[-_]?key|credential|cookie|authori[sz]ation|(?<![a-z])(?:key|pass|pwd|pw|auth|bearer|jwt|pat|pin|sig|signature)s?(?![a-z])/i;
/** Names of what people choose: a number may be one, and a path too. */
const PASSWORD = /passw(?:or)?d|passphrase|passcode|(?<![a-z])(?:pass|pwd|pw|pin)$/i;
/** Names under which `user:password` may be; a number after the colon is a group or a port. */
const USERS = /(?<![a-z])(?:users?|auth|logins?|creds?|credentials?)$/i;
const CREDENTIALS = /^(?!arn:|urn:)[^\s:/]+:(?!\/\/|\d+$)\S/;
/** What a secret's name ends with when its value is not one, but says where it is or how it is used. */
const ABOUT_SECRET =
  /(?<![a-z])(?:(?:file|path|dir|directory|folder|url|uri|endpoint|host|server|arn|name|mode|type|kind|provider|vault|prefix|field|policy|limit|expiry|expires|ttl|lifetime|timeout|length|size|count|domain|realm|algorithm|alg|issuer|audience|store|version|enabled|required|method|scope|strategy|backend|user|username|email)s?|(?:client|tenant|app|application|account|project|organi[sz]ation|org|team)[-_ ]?ids?|(?:sort|partition|foreign|project|issue|space|public|publishable)[-_ ]?keys?|(?:max|min|context|input|output|prompt|completion|total|budget)[-_ ](?:[a-z]{1,12}[-_ ])?tokens)$/i;

/** Whether a name marks its value as secret: `API_KEY`, `accessToken`, `--password`; not `API_KEY_FILE`, `TOKEN_URL`. */
export function isSecretName(name: string): boolean {
  const words = spaced(name);
  return SECRET_NAME.test(words) && !ABOUT_SECRET.test(words);
}

export function isPassword(name: string): boolean {
  return PASSWORD.test(spaced(name)) && isSecretName(name);
}

/** `AUTH_USERS: admin:password` */
export function isCredentials(name: string, value: string): boolean {
  return USERS.test(spaced(name)) && CREDENTIALS.test(value);
}

/** Hides secrets (decision D19) as they are, as JSON and URLs encode them, and in base64. Also hides the second half of
 *  `Bearer abc`, and each line of a key of several lines. */
export function hiderOf(secrets: readonly Secret[]): Hide {
  const patterns = [...new Set(secrets.flatMap(patternsOf))]
    // The longest first: a secret may begin with another.
    .sort((a, b) => b.length - a.length);
  if (patterns.length === 0) return (text) => text;
  // One expression for all of them is thirty times faster than one search for each.
  const known = new RegExp(patterns.join('|'), 'g');
  return (text) => text.replace(known, HIDDEN);
}

function patternsOf({ name, text }: Secret): readonly string[] {
  const least = isSecretName(name) ? MIN_NAMED_CHARS : MIN_CHARS;
  const bare = text.replace(/^[\w-]+\s+(?=\S+$)/, '');
  return [text, bare, decoded(text), ...text.split(/\r?\n/)]
    .filter((part) => part.length >= least && !NO_SECRET.test(part))
    .flatMap((part) => [inUrls(part), literal(JSON.stringify(part).slice(1, -1)), ...inBase64(part)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The text contains a percent sign that is not an escape.
    return text;
  }
}

/** Encoders differ in the characters they leave unescaped, and in the case of the digits. */
function inUrls(text: string): string {
  return text.replace(/[^\w-]/gu, (char) => {
    if (char === ' ' || char === '+') return '(?: |\\+|%20|%2[Bb])';
    const coded = Buffer.from(char).toString('hex').replace(/../g, '%$&');
    return `(?:${literal(char)}|${coded}|${coded.toUpperCase()})`;
  });
}

/** Shorter fragments would match by chance. */
const MIN_BASE64_CHARS = 5;

/** The encodings, one for each offset of the secret within a group of three bytes: the characters that depend on the secret alone, and the
 *  same with the character that follows if the secret ends the text. */
function inBase64(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const coded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/={1,2}$/, '');
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    const own = coded.slice(Math.ceil((before * 8) / 6), end);
    const forms = own.length < MIN_BASE64_CHARS ? [] : [own, own + coded.slice(end)];
    return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))].map(literal);
  });
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** A copy of a JSON value with its strings, numbers and keys passed through `hide`. */
export function hiddenIn(value: unknown, hide: Hide): unknown {
  if (typeof value === 'string') return hide(value);
  if (typeof value === 'number') {
    const text = hide(String(value));
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((item) => hiddenIn(item, hide));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [hide(key), hiddenIn(part, hide)]));
}
