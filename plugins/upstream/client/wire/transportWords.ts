import { messageOf } from 'pegboard';

/** OpenSSL and the HTTP client say what failed in fields of their own. */
type Fault = Error & { readonly code?: string; readonly library?: string; readonly reason?: string };

const NO_TLS: ReadonlySet<string> = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
]);

const WRONG_PORT = 'correct the port of url, or begin it with ';

/** What to change about a url, if that is what the words say. */
export function wrongPort(words: string): string | undefined {
  const at = words.indexOf(WRONG_PORT);
  return at < 0 ? undefined : words.slice(at);
}

/** What Node.js 24 appends to the words of OpenSSL: a flag for who starts a program by hand. */
const NODE_ADVICE = /; if the root CA is installed locally, try running Node\.js with +--use-system-ca$/;

/** Why nothing could be sent or read, for people. */
export function transportWords(error: Error): string {
  const { code, library, reason, name } = error as Fault;
  if (code !== undefined && NO_TLS.has(code))
    return `what answers at this port does not speak TLS; ${WRONG_PORT}http://`;
  if (library === 'SSL routines' && reason !== undefined) return `TLS failed: ${reason}`;
  if (name === 'HTTPParserError')
    return `what answers at this port does not speak HTTP; ${WRONG_PORT}https://`;
  const words = messageOf(error).replace(NODE_ADVICE, '');
  if (code === 'ENOTFOUND' && words.startsWith('getaddrinfo')) return `its host is not known: ${words}`;
  return words === '' ? (code ?? name) : words;
}
