import { StringDecoder } from 'node:string_decoder';

export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** Reads server-sent events as they come. Source: WHATWG HTML, 9.2.6. */
export class EventStream {
  readonly #take: (event: StreamEvent) => void;
  readonly #maxChars: number;
  readonly #overflow: () => void;
  readonly #decoder = new StringDecoder('utf8');
  #text = '';
  #searched = 0;
  #event = '';
  #data: string[] = [];
  #chars = 0;
  /** The last `id` seen, for Last-Event-ID. */
  lastId: string | undefined = undefined;
  /** What the server asks to wait before a reconnect. */
  retryMs: number | undefined = undefined;

  constructor(maxChars: number, take: (event: StreamEvent) => void, overflow: () => void) {
    this.#maxChars = maxChars;
    this.#take = take;
    this.#overflow = overflow;
  }

  push(chunk: Buffer): void {
    this.#text += this.#decoder.write(chunk);
    let start = 0;
    for (;;) {
      const end = this.#lineEnd(Math.max(start, this.#searched));
      if (end < 0) break;
      const line = this.#text.slice(start, end);
      const isPair = this.#text.charCodeAt(end) === 13 && this.#text.charCodeAt(end + 1) === 10;
      start = end + (isPair ? 2 : 1);
      this.#line(line);
    }
    this.#text = start === 0 ? this.#text : this.#text.slice(start);
    this.#searched = Math.max(0, this.#text.length - 1);
    if (this.#text.length + this.#chars > this.#maxChars) {
      this.#text = '';
      this.#searched = 0;
      this.#data = [];
      this.#chars = 0;
      this.#overflow();
    }
  }

  /** A carriage return that ends the text may have its newline still to come. */
  #lineEnd(from: number): number {
    const newline = this.#text.indexOf('\n', from);
    const carriage = this.#text.indexOf('\r', from);
    if (carriage < 0 || (newline >= 0 && newline < carriage)) return newline;
    return carriage === this.#text.length - 1 ? -1 : carriage;
  }

  #line(line: string): void {
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1);
    if (field === 'data') {
      this.#data.push(value);
      this.#chars += value.length;
    } else if (field === 'event') this.#event = value;
    else if (field === 'id') this.lastId = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
  }

  #dispatch(): void {
    const event = this.#event === '' ? 'message' : this.#event;
    const data = this.#data;
    this.#event = '';
    this.#data = [];
    this.#chars = 0;
    const [only = ''] = data;
    if (data.length > 0) this.#take({ event, data: data.length === 1 ? only : data.join('\n') });
  }
}
