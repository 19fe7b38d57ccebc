import { StringDecoder } from 'node:string_decoder';
import { LIGHT_LINE } from './unaskedFlow.ts';
import type { UnaskedFlow } from './unaskedFlow.ts';

export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** Control characters but the tab; those above 127 are sent as bytes of UTF-8. */
const UNSENDABLE = /[^\t\P{Cc}\u0080-\u009f]/u;

export interface EventParts {
  /** Of one event. */
  readonly maxChars: number;
  readonly maxIdBytes: number;
  readonly flow: Pick<UnaskedFlow, 'took'>;
  /** @returns how many messages in it answer no request */
  readonly take: (event: StreamEvent) => number;
  readonly overflow: () => void;
}

/** Reads server-sent events as they come. Source: WHATWG HTML, 9.2.6. */
export class EventReader {
  readonly #parts: EventParts;
  readonly #decoder = new StringDecoder('utf8');
  /** Text that nobody wanted yet, and whether nobody wants more. */
  #rest = '';
  #isHeld = false;
  /** Begin of a line whose end is still to come; joined once it is there, so that a long one costs no more per byte. */
  #begun = '';
  #endedWithCarriage = false;
  #event = '';
  #id: string | undefined = undefined;
  #data: string[] = [];
  /** Of what is kept; each line counts as one more, for its line break. */
  #chars = 0;
  /** Lines since the last event that hold no data, and how long they are. */
  #lightLines = 0;
  #lightChars = 0;
  /** The id of the last whole event that has one, for Last-Event-ID; empty where the server takes it back. */
  lastId: string | undefined = undefined;
  /** What the server asks to wait before a reconnect. */
  retryMs: number | undefined = undefined;

  constructor(parts: EventParts) {
    this.#parts = parts;
  }

  /** @returns false when some of it is left for goOn(); more may come before that */
  push(chunk: Buffer): boolean {
    const text = this.#decoder.write(chunk);
    if (text === '') return !this.#isHeld;
    this.#rest += this.#endedWithCarriage && text.startsWith('\n') ? text.slice(1) : text;
    this.#endedWithCarriage = text.endsWith('\r');
    return !this.#isHeld && this.goOn();
  }

  /** Takes what is left. @returns false when some still is */
  goOn(): boolean {
    const text = this.#rest;
    let start = 0;
    let mayGoOn = true;
    let newline = text.indexOf('\n');
    let carriage = text.indexOf('\r');
    while (mayGoOn && (newline >= 0 || carriage >= 0)) {
      const end = carriage < 0 || (newline >= 0 && newline < carriage) ? newline : carriage;
      const line = this.#begun + text.slice(start, end);
      this.#begun = '';
      start = end + (end === carriage && newline === end + 1 ? 2 : 1);
      // Each is looked for again only once it is passed: most streams have but one kind.
      if (newline >= 0 && newline < start) newline = text.indexOf('\n', start);
      if (carriage >= 0 && carriage < start) carriage = text.indexOf('\r', start);
      mayGoOn = this.#line(line);
    }
    this.#rest = mayGoOn ? '' : text.slice(start);
    if (mayGoOn) {
      this.#begun += text.slice(start);
      if (this.#begun.length + this.#chars > this.#parts.maxChars) this.#overflow();
      mayGoOn = this.#payLight();
    }
    this.#isHeld = !mayGoOn;
    return mayGoOn;
  }

  #overflow(): void {
    this.#begun = '';
    this.#data = [];
    this.#chars = 0;
    this.#parts.overflow();
  }

  /** What is no event is paid for once the chunk is through: until then it may belong to an answer. */
  #payLight(): boolean {
    const [lines, chars] = [this.#lightLines, this.#lightChars];
    this.#lightLines = 0;
    this.#lightChars = 0;
    return this.#parts.flow.took(lines * LIGHT_LINE, chars);
  }

  /** @returns whether more may be read now */
  #line(line: string): boolean {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1);
    if (field === 'data') {
      this.#data.push(value);
      this.#chars += value.length + 1;
      return true;
    }
    this.#lightLines += 1;
    this.#lightChars += line.length;
    // Without a field's name it is a comment.
    if (field === 'event') this.#event = value;
    else if (field === 'id') this.#identify(value);
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
    return true;
  }

  /** An id that no header can hold is none: the stream is taken up after the one before it. */
  #identify(id: string): void {
    if (!UNSENDABLE.test(id) && Buffer.byteLength(id) <= this.#parts.maxIdBytes) this.#id = id;
  }

  #dispatch(): boolean {
    const event = this.#event === '' ? 'message' : this.#event;
    const data = this.#data;
    const chars = this.#chars + this.#lightChars;
    this.lastId = this.#id;
    this.#event = '';
    this.#data = [];
    this.#chars = 0;
    this.#lightLines = data.length > 0 ? 0 : this.#lightLines + 1;
    if (data.length === 0) return true;
    this.#lightChars = 0;
    const [only = ''] = data;
    const unasked = this.#parts.take({ event, data: data.length === 1 ? only : data.join('\n') });
    return this.#parts.flow.took(unasked, chars);
  }
}
