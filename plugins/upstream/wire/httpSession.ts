/** Without it a server may compress (RFC 9110 §12.5.3), and what it answers is read as it comes. */
export const PLAIN: readonly string[] = ['accept-encoding', 'identity'];

/** The session with one server over streamable HTTP. Headers are built once per session, not per call. */
export class HttpSession {
  readonly #ownHeaders: readonly string[];
  #number = 0;
  #id: string | undefined;
  #revision: string | undefined;
  #headers: string[] = [];

  constructor(headers: Readonly<Record<string, string>>) {
    this.#ownHeaders = Object.entries(headers).flat();
    this.#build();
  }

  /** Changes with every renewal: what was sent under another number is outdated. */
  get number(): number {
    return this.#number;
  }
  /** A server that never gave a session cannot have lost it. */
  get hasId(): boolean {
    return this.#id !== undefined;
  }
  /** For POST and DELETE. */
  get headers(): string[] {
    return this.#headers;
  }

  /** For GET. @param lastId of the event after which the stream is taken up */
  streamHeaders(lastId = ''): string[] {
    const headers = [...this.#headers];
    headers[3] = 'text/event-stream';
    // As bytes of UTF-8, says WHATWG HTML; a header's text stands for one byte per character.
    const sent = Buffer.from(lastId).toString('latin1');
    return lastId === '' ? headers.slice(2) : [...headers.slice(2), 'last-event-id', sent];
  }

  /** The first id that comes in a session is its own. */
  given(id: string): void {
    if (this.#id !== undefined) return;
    this.#id = id;
    this.#build();
  }
  agreed(revision: string): void {
    this.#revision = revision;
    this.#build();
  }
  renew(): void {
    this.#number += 1;
    this.#id = undefined;
    this.#revision = undefined;
    this.#build();
  }

  #build(): void {
    this.#headers = [
      ...['content-type', 'application/json', 'accept', 'application/json, text/event-stream', ...PLAIN],
      ...(this.#id === undefined ? [] : ['mcp-session-id', this.#id]),
      ...(this.#revision === undefined ? [] : ['mcp-protocol-version', this.#revision]),
      ...this.#ownHeaders,
    ];
  }
}
