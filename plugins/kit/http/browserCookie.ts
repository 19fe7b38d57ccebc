import { randomBytes } from 'node:crypto';
import type { InboundRequest } from 'pegboard';

const MAX_CHARS = 100;

export interface BrowserCookieParts {
  /** `pegboard-browser`; on https `__Host-` precedes it. */
  readonly name: string;
  /** Whether the public address is https: the prefix `__Host-` and `Secure` need it. */
  readonly isHttps: () => boolean;
  /** Characters of its value; default 100. */
  readonly maxChars?: number;
}
/** A value that a browser has, or gets by these headers. */
export interface BrowserId {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A cookie with a random value, by which one browser is told from another: for this host only, unreadable for scripts, and absent
 *  from requests that other sites cause, except links. Source: RFC 6265bis §4.1.3, §5.6.7 */
export class BrowserCookie {
  readonly #parts: BrowserCookieParts;

  constructor(parts: BrowserCookieParts) {
    this.#parts = parts;
  }

  /** Undefined without a cookie. */
  idOf(request: Pick<InboundRequest, 'header'>): string | undefined {
    const prefix = `${this.#name}=`;
    const pairs = (request.header('cookie') ?? '').split(/; */);
    return pairs
      .find((pair) => pair.startsWith(prefix))
      ?.slice(prefix.length)
      .slice(0, this.#parts.maxChars ?? MAX_CHARS);
  }

  /** The browser's own value, or a new one, kept for that many seconds. */
  give(request: Pick<InboundRequest, 'header'>, seconds: number): BrowserId {
    return this.renew(seconds, this.idOf(request));
  }

  /** @param id a value that cannot be guessed; default: a new one of 128 bits */
  renew(seconds: number, id = randomBytes(16).toString('base64url')): BrowserId {
    const secure = this.#parts.isHttps() ? '; Secure' : '';
    const cookie = `${this.#name}=${id}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
    return { id, headers: { 'set-cookie': cookie } };
  }

  get #name(): string {
    return this.#parts.isHttps() ? `__Host-${this.#parts.name}` : this.#parts.name;
  }
}
