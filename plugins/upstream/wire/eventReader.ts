import { StringDecoder } from 'node:string_decoder';

export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** Reads server-sent events as they come. Source: WHATWG HTML, 9.2.6. */
export class EventReader {
  readonly #take: (event: StreamEvent) => void;
  readonly #maxChars: number;
  readonly #overflow: () => void;
  readonly #decoder = new StringDecoder('utf8');
  /** Begin of a line whose end is still to come; joined once it is there, so that a long one costs no more per byte. */
  #begun = '';
  #endedWithCarriage = false;
  #event = '';
  #data: string[] = [];
  /** Of what is kept; each line counts as one more, for its line break. */
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
    const text = this.#decoder.write(chunk);
    if (text === '') return;
    let start = this.#endedWithCarriage && text.startsWith('\n') ? 1 : 0;
    this.#endedWithCarriage = text.endsWith('\r');
    let newline = text.indexOf('\n', start);
    let carriage = text.indexOf('\r', start);
    while (newline >= 0 || carriage >= 0) {
      const end = carriage < 0 || (newline >= 0 && newline < carriage) ? newline : carriage;
      this.#line(this.#begun + text.slice(start, end));
      this.#begun = '';
      start = end + (end === carriage && newline === end + 1 ? 2 : 1);
      // Each is looked for again only once it is passed: most streams have but one kind.
      if (newline >= 0 && newline < start) newline = text.indexOf('\n', start);
      if (carriage >= 0 && carriage < start) carriage = text.indexOf('\r', start);
    }
    this.#begun += text.slice(start);
    if (this.#begun.length + this.#chars <= this.#maxChars) return;
    this.#begun = '';
    this.#data = [];
    this.#chars = 0;
    this.#overflow();
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
      this.#chars += value.length + 1;
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
