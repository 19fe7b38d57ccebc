import type { ServerResponse } from 'node:http';

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** Writes server-sent events to one response; closes it if the reader falls too far behind. */
export class EventWriter {
  readonly #res: ServerResponse;
  readonly #maxBufferedBytes: number;

  /** Sends the head. @param headers besides those of an event stream */
  constructor(res: ServerResponse, maxBufferedBytes: number, headers: Readonly<Record<string, string>> = {}) {
    this.#res = res;
    this.#maxBufferedBytes = maxBufferedBytes;
    res.writeHead(200, { ...HEADERS, ...headers });
    res.flushHeaders();
  }

  /** @param data one line: line breaks, which JSON has only between tokens, become spaces
   *  @param id the Last-Event-ID with which a reader resumes after this event */
  send(data: string, event = 'message', id?: string): void {
    this.#write(`event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${oneLine(data)}\n\n`);
  }

  /** An event without data: an id to resume from before the first message. Source: SEP-1699. */
  prime(id: string, retryMs?: number): void {
    this.#write(`id: ${id}\n${retryMs === undefined ? '' : `retry: ${retryMs}\n`}data: \n\n`);
  }

  /** A comment that keeps proxies from closing an idle stream. */
  keepAlive(): void {
    this.#write(': keep-alive\n\n');
  }

  /** Runs `more` once the reader has caught up. @returns false if the reader is not behind; `more` then never runs */
  isBehind(more: () => void): boolean {
    if (!this.#res.writableNeedDrain) return false;
    this.#res.once('drain', more);
    return true;
  }

  end(): void {
    this.#res.end();
  }
  /** Closes the response and discards what the reader has not received yet. */
  drop(): void {
    this.#res.destroy();
  }

  #write(text: string): void {
    if (this.#res.destroyed || this.#res.writableEnded) return;
    // Only what is already buffered counts: a single message larger than the limit is still delivered.
    if (this.#res.writableLength > this.#maxBufferedBytes) this.#res.destroy();
    else this.#res.write(text);
  }
}

/** JSON text on one line. */
export function oneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, ' ') : json;
}
