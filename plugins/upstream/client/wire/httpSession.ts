/** Without this header a server may compress (RFC 9110 §12.5.3), which saves nothing worth its time on most messages. */
export const PLAIN: readonly string[] = ['accept-encoding', 'identity'];

/** The session with one server over streamable HTTP. Headers are built once per session, not per call. */
export class HttpSession {
  readonly #ownHeaders: () => Readonly<Record<string, string>>;
  #builtWith: Readonly<Record<string, string>> = {};
  #number = 0;
  #id: string | undefined;
  #revision: string | undefined;
  #headers: string[] = [];
  #bareHeaders: string[] = [];

  /** @param headers of the definition and of the credential; another object when they have changed */
  constructor(headers: () => Readonly<Record<string, string>>) {
    this.#ownHeaders = headers;
    this.#build();
  }

  /** Changes with every renewal: requests sent under another number are outdated. */
  get number(): number {
    return this.#number;
  }
  /** Whether the server has assigned a session id, without which it cannot lose the session. */
  get hasId(): boolean {
    return this.#id !== undefined;
  }
  get id(): string | undefined {
    return this.#id;
  }
  /** Whether initialize has agreed on a revision. */
  get hasRevision(): boolean {
    return this.#revision !== undefined;
  }
  /** Headers for POST and DELETE. */
  get headers(): string[] {
    if (this.#ownHeaders() !== this.#builtWith) this.#build();
    return this.#headers;
  }

  /** Headers for a POST of the modern era, which is in no session. */
  get bareHeaders(): string[] {
    if (this.#ownHeaders() !== this.#builtWith) this.#build();
    return this.#bareHeaders;
  }

  /** Headers for GET. @param lastId of the event after which the stream resumes */
  streamHeaders(lastId = ''): string[] {
    const headers = [...this.headers];
    headers[3] = 'text/event-stream';
    // WHATWG HTML requires UTF-8 bytes; in a header's text each character represents one byte.
    const sent = Buffer.from(lastId).toString('latin1');
    return lastId === '' ? headers.slice(2) : [...headers.slice(2), 'last-event-id', sent];
  }

  /** Sets the session id; later ids in the same session are ignored. */
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
    this.#builtWith = this.#ownHeaders();
    const types = [
      'content-type',
      'application/json',
      'accept',
      'application/json, text/event-stream',
      ...PLAIN,
    ];
    const own = Object.entries(this.#builtWith).flat();
    this.#bareHeaders = [...types, ...own];
    this.#headers = [
      ...types,
      ...(this.#id === undefined ? [] : ['mcp-session-id', this.#id]),
      ...(this.#revision === undefined ? [] : ['mcp-protocol-version', this.#revision]),
      ...own,
    ];
  }
}
