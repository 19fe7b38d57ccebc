import { StringDecoder } from 'node:string_decoder';
import { LIGHT_LINE } from './unaskedFlow.ts';
import type { UnaskedFlow } from './unaskedFlow.ts';

export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** Control characters except the tab; those above 127 are sent as UTF-8 bytes. */
const UNSENDABLE = /[^\t\P{Cc}\u0080-\u009f]/u;

export interface EventReaderParts {
  /** Maximum length of one event. */
  readonly maxChars: number;
  readonly maxIdBytes: number;
  readonly flow: Pick<UnaskedFlow, 'took'>;
  /** @returns how many unsolicited messages the event has */
  readonly take: (event: StreamEvent) => number;
  readonly overflow: () => void;
}

/** What is kept of each end of a message that is skipped: one of them has its id. */
const END_CHARS = 256;

/** Incremental parser of server-sent events. Source: WHATWG HTML, 9.2.6. */
export class EventReader {
  readonly #parts: EventReaderParts;
  readonly #decoder = new StringDecoder('utf8');
  #hasBegun = false;
  /** The beginning of an incomplete line. */
  #begun = '';
  #endedWithCarriage = false;
  #event = '';
  #id: string | undefined = undefined;
  #data: string[] = [];
  /** Length of `#data`, plus one for the line break of each line. */
  #chars = 0;
  /** Set while the rest of an event is skipped: receives its first and last characters. */
  #skipped: ((ends: string) => void) | undefined;
  /** Number and length of the lines without data since the last event. */
  #lightLines = 0;
  #lightChars = 0;
  /** The id of the last complete event that has one, for Last-Event-ID; empty if the server has cleared it. */
  lastId: string | undefined = undefined;
  /** The wait before a reconnect that the server requests. */
  retryMs: number | undefined = undefined;

  constructor(parts: EventReaderParts) {
    this.#parts = parts;
  }

  /** Length of the event that is incomplete. */
  get chars(): number {
    return this.#chars + this.#begun.length;
  }

  /** Drops the event that is incomplete, and the rest of it as it arrives. */
  skip(told: (ends: string) => void): void {
    this.#skipped = told;
    this.#data = this.#data.length === 0 ? [] : [endsOf(this.#data.join('\n'))];
    this.#chars = 0;
    this.#begun = endsOf(this.#begun);
  }

  push(chunk: Buffer): void {
    const text = this.#decode(chunk);
    if (text === '') return;
    const isSecondHalf = this.#endedWithCarriage && text.startsWith('\n');
    this.#endedWithCarriage = text.endsWith('\r');
    this.#parse(isSecondHalf ? text.slice(1) : text);
  }

  /** Leaves out a byte order mark at the beginning of the stream. */
  #decode(chunk: Buffer): string {
    const text = this.#decoder.write(chunk);
    if (this.#hasBegun || text === '') return text;
    this.#hasBegun = true;
    return text.startsWith('\ufeff') ? text.slice(1) : text;
  }

  #parse(text: string): void {
    let start = 0;
    let newline = text.indexOf('\n');
    let carriage = text.indexOf('\r');
    while (newline >= 0 || carriage >= 0) {
      const end = carriage < 0 || (newline >= 0 && newline < carriage) ? newline : carriage;
      const line = this.#begun + text.slice(start, end);
      this.#begun = '';
      start = end + (end === carriage && newline === end + 1 ? 2 : 1);
      // Each is searched again only after it is passed: most streams have one kind of line break.
      if (newline >= 0 && newline < start) newline = text.indexOf('\n', start);
      if (carriage >= 0 && carriage < start) carriage = text.indexOf('\r', start);
      this.#line(line);
    }
    this.#begun += text.slice(start);
    if (this.#skipped !== undefined) this.#begun = endsOf(this.#begun);
    if (this.chars > this.#parts.maxChars) this.#overflow();
    this.#payLight();
  }

  #overflow(): void {
    this.#begun = '';
    this.#data = [];
    this.#chars = 0;
    this.#parts.overflow();
  }

  /** Counts lines without data after the whole chunk: until then they may belong to the event of an answer. */
  #payLight(): void {
    const [lines, chars] = [this.#lightLines, this.#lightChars];
    this.#lightLines = 0;
    this.#lightChars = 0;
    this.#parts.flow.took(lines * LIGHT_LINE, chars);
  }

  #line(line: string): void {
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1);
    if (field === 'data' && this.#skipped !== undefined) {
      this.#data = [endsOf([...this.#data, value].join('\n'))];
      return;
    }
    if (field === 'data') {
      this.#data.push(value);
      this.#chars += value.length + 1;
      return;
    }
    this.#lightLines += 1;
    this.#lightChars += line.length;
    // A line without a field name is a comment.
    if (field === 'event') this.#event = value;
    else if (field === 'id') this.#identify(value);
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
  }

  /** Ignores an id that a header cannot hold: the stream then resumes after the previous id. */
  #identify(id: string): void {
    if (!UNSENDABLE.test(id) && Buffer.byteLength(id) <= this.#parts.maxIdBytes) this.#id = id;
  }

  #dispatch(): void {
    const event = this.#event === '' ? 'message' : this.#event;
    const data = this.#data;
    const chars = this.#chars + this.#lightChars;
    this.lastId = this.#id;
    this.#event = '';
    this.#data = [];
    this.#chars = 0;
    this.#lightLines = data.length > 0 ? 0 : this.#lightLines + 1;
    if (data.length === 0) return;
    this.#lightChars = 0;
    const [only = ''] = data;
    const skipped = this.#skipped;
    this.#skipped = undefined;
    if (skipped !== undefined) {
      skipped(only);
      return;
    }
    const unasked = this.#parts.take({ event, data: data.length === 1 ? only : data.join('\n') });
    this.#parts.flow.took(unasked, chars);
  }
}

function endsOf(text: string): string {
  return text.length <= 2 * END_CHARS ? text : text.slice(0, END_CHARS) + text.slice(-END_CHARS);
}
