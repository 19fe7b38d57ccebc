import type { ServerResponse } from 'node:http';

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** Writes server-sent events on one response; a reader that falls too far behind is dropped. */
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
   *  @param id what a reader names to go on behind it */
  send(data: string, event = 'message', id?: string): void {
    this.#write(`event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${oneLine(data)}\n\n`);
  }

  /** An event without data: a place to go on from before anything was said. Source: SEP-1699. */
  prime(id: string, retryMs?: number): void {
    this.#write(`id: ${id}\n${retryMs === undefined ? '' : `retry: ${retryMs}\n`}data: \n\n`);
  }

  /** A comment that keeps proxies from closing an idle stream. */
  keepAlive(): void {
    this.#write(': keep-alive\n\n');
  }

  /** Runs `more` once the reader has caught up. @returns false when it has, and `more` does not run */
  isBehind(more: () => void): boolean {
    if (!this.#res.writableNeedDrain) return false;
    this.#res.once('drain', more);
    return true;
  }

  end(): void {
    this.#res.end();
  }
  /** Ends it without what the reader has not taken yet. */
  drop(): void {
    this.#res.destroy();
  }

  #write(text: string): void {
    if (this.#res.destroyed || this.#res.writableEnded) return;
    // What waits counts, not the message itself: one that is larger than the limit is still delivered.
    if (this.#res.writableLength > this.#maxBufferedBytes) this.#res.destroy();
    else this.#res.write(text);
  }
}

/** JSON text on one line. */
export function oneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, ' ') : json;
}
