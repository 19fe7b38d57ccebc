import type { ServerResponse } from 'node:http';
import { EventStream } from 'pegboard';
import type { AnswerOutcome, Sink } from 'pegboard';

/** Answers one POST: as JSON, unless something must be sent before the answer, then as an event stream. */
export class PostSink implements Sink {
  readonly #res: ServerResponse;
  readonly #maxBufferedBytes: number;
  #stream: EventStream | undefined;

  constructor(res: ServerResponse, maxBufferedBytes: number) {
    this.#res = res;
    this.#maxBufferedBytes = maxBufferedBytes;
  }

  before(json: string): void {
    if (this.#res.writableEnded) return;
    this.#stream ??= new EventStream(this.#res, this.#maxBufferedBytes);
    this.#stream.send(json);
  }

  answer(json: string | undefined, { refused, opened }: AnswerOutcome): void {
    const res = this.#res;
    if (this.#stream !== undefined) {
      if (json !== undefined) this.#stream.send(json);
      this.#stream.end();
      return;
    }
    if (json === undefined) {
      res.writeHead(202, { 'content-length': 0 });
      res.end();
      return;
    }
    res.statusCode = refused ? 400 : 200;
    res.setHeader('content-type', 'application/json');
    res.setHeader('content-length', Buffer.byteLength(json));
    if (opened !== undefined) res.setHeader('mcp-session-id', opened);
    res.end(json);
  }
}
