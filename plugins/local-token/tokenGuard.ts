import { hash, timingSafeEqual } from 'node:crypto';
import type { ErrorCode, InboundRequest, Reply } from 'pegboard';
import type { LineLimit } from '../kit/http/lineLimit.ts';

const CODE: ErrorCode = 'REQUEST_UNAUTHENTICATED';
/** The JSON-RPC code for a refusal of the transport. */
const REFUSED = -32000;

/** Refuses requests that lack the token. Source: RFC 6750 */
export class TokenGuard {
  readonly #file: string;
  readonly #digest: Buffer;
  readonly #refusals: LineLimit;

  /** @param refusals limits log lines about refusals */
  constructor(file: string, token: string, refusals: LineLimit) {
    this.#file = file;
    this.#digest = digestOf(token);
    this.#refusals = refusals;
  }

  /** @returns undefined lets the request pass */
  admit(request: InboundRequest): Reply | undefined {
    if (!this.isStranger(request)) return undefined;
    const { id, path = '', remoteAddress: address = '' } = request;
    const hasCredentials = request.header('authorization') !== undefined;
    const reason = hasCredentials ? 'token-not-valid' : 'no-token';
    this.#refusals.write('info', 'request refused: it lacks the local token', {
      path,
      reason,
      address,
      request: id,
      file: this.#file,
    });
    const what = hasCredentials
      ? 'this is not the local token of this gateway'
      : 'this gateway wants its local token';
    const message = `${what}: send the header Authorization: Bearer <token>; the token is the text of ${this.#file}, and pegboard link writes it into clients`;
    return {
      status: 401,
      headers: {
        'www-authenticate': `Bearer realm="pegboard local token"${hasCredentials ? ', error="invalid_token"' : ''}`,
        'cache-control': 'no-store',
      },
      body: { jsonrpc: '2.0', id: null, error: { code: REFUSED, message, data: { code: CODE } } },
    };
  }

  /** Whether a request is for callers, came by HTTP, and says neither the token nor anything else by which a plugin knows it. */
  isStranger(request: InboundRequest): boolean {
    const { access, caller, method } = request;
    if (access === 'public' || caller !== undefined || method === undefined) return false;
    const [, token] = /^bearer +(\S+) *$/i.exec(request.header('authorization') ?? '') ?? [];
    return token === undefined || !timingSafeEqual(digestOf(token), this.#digest);
  }
}

/** Digests are of one length, which timingSafeEqual needs, and say nothing about how much of a token is right. */
function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
