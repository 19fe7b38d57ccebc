import { randomBytes } from 'node:crypto';

const MOST = 64;
/** What a notice says is soon out of date. */
const SHOWN_FOR_MS = 30_000;

/** What actions have done, for the page that follows: its address carries a key and never the words, which a link of others could choose. */
export class Notices {
  readonly #notices = new Map<string, { readonly message: string; readonly until: number }>();

  /** @returns `next` with the key of the message */
  add(message: string, next: string): string {
    const key = randomBytes(9).toString('base64url');
    this.#notices.set(key, { message, until: Date.now() + SHOWN_FOR_MS });
    const [oldest] = this.#notices.keys();
    if (this.#notices.size > MOST && oldest !== undefined) this.#notices.delete(oldest);
    return `${next}${next.includes('?') ? '&' : '?'}done=${key}`;
  }

  /** Undefined once it is out of date. */
  of(query: URLSearchParams): string | undefined {
    const found = this.#notices.get(query.get('done') ?? '');
    return found !== undefined && Date.now() < found.until ? found.message : undefined;
  }
}
