import type { ServerResponse } from 'node:http';
import type { ErrorCode } from 'pegboard';
import { statusOf } from '../kit/http/statusOf.ts';
import type { AnswerOutcome, Sink } from '../contracts/mcp.ts';
import type { Session } from '../contracts/sessions.ts';
import type { ResumableStream } from './resumableStream.ts';
import type { Streams } from './streams.ts';

export interface Posted {
  readonly res: ServerResponse;
  readonly session: Session | undefined;
  /** Whether its client accepts an event stream. */
  readonly mayStream: boolean;
}

/** Answers one POST: as JSON, or as an event stream that can be resumed if a message must precede the answer or the answer
 *  takes long. */
export class PostSink implements Sink {
  readonly #mayStream: boolean;
  readonly #res: ServerResponse;
  readonly #session: Session | undefined;
  readonly #streams: Streams;
  readonly #number: number;
  #stream: ResumableStream | undefined;

  constructor({ res, session, mayStream }: Posted, streams: Streams) {
    this.#mayStream = mayStream;
    this.#res = res;
    this.#session = session;
    this.#streams = streams;
    this.#number = streams.awaits(this);
  }

  before(json: string): boolean {
    const stream = this.openStream();
    stream?.send(json);
    return stream !== undefined;
  }

  /** Once the stream is open, a lost connection loses nothing. */
  openStream(): ResumableStream | undefined {
    const isOver = this.#stream === undefined && (this.#res.headersSent || this.#res.destroyed);
    if (isOver || !this.#mayStream || this.#session === undefined) return undefined;
    return (this.#stream ??= this.#streams.openAnswer(this.#session, this.#res));
  }

  answer(json: string | undefined, { refused, opened, cancelled }: AnswerOutcome): void {
    this.#streams.answered(this.#number);
    const res = this.#res;
    if (this.#stream !== undefined) {
      if (json !== undefined) this.#stream.send(json);
      this.#stream.end();
      this.#streams.dropStalled(res, this.#session);
      return;
    }
    if (res.destroyed && json !== undefined) this.#streams.lost(this.#session, 'its client has disconnected');
    if (opened !== undefined) res.setHeader('mcp-session-id', opened);
    writeJson(res, json ?? cancelled, refused ? 'REQUEST_MALFORMED' : undefined);
    this.#streams.dropStalled(res, this.#session);
  }
}

/** Writes a complete answer. @param json its body, if any @param refused why the request was not run */
export function writeJson(res: ServerResponse, json: string | undefined, refused?: ErrorCode): void {
  const answered = json === undefined ? 202 : 200;
  const length = { 'content-length': json === undefined ? 0 : Buffer.byteLength(json) };
  const headers = json === undefined ? length : { 'content-type': 'application/json', ...length };
  res.writeHead(refused === undefined ? answered : statusOf(refused), headers);
  res.end(json);
}
