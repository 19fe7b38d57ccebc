import type { ServerResponse } from 'node:http';
import type { ErrorCode } from 'pegboard';
import type { EventWriter } from '../kit/http/eventWriter.ts';
import type { StatelessSink } from '../contracts/mcp.ts';
import type { HttpExchange } from '../contracts/http.ts';
import { writeJson } from './postSink.ts';
import type { Streams } from './streams.ts';

/** Answers one POST of a revision without sessions: as JSON, or as an event stream that cannot be resumed. Closing the
 *  connection cancels the request. */
export class StatelessPostSink implements StatelessSink {
  readonly #exchange: HttpExchange;
  readonly #res: ServerResponse;
  readonly #streams: Streams;
  readonly #mayStream: boolean;
  readonly #number: number;
  #stream: EventWriter | undefined;
  #isAnswered = false;

  /** @param mayStream whether its client accepts an event stream */
  constructor(exchange: HttpExchange, streams: Streams, mayStream: boolean) {
    this.#mayStream = mayStream;
    this.#exchange = exchange;
    this.#res = exchange.res;
    this.#streams = streams;
    this.#number = streams.awaits(this);
  }

  before(json: string): void {
    this.openStream()?.send(json);
  }

  stand(end: () => void): void {
    this.openStream();
    this.#exchange.standing(end);
    this.#streams.answered(this.#number);
  }

  openStream(): EventWriter | undefined {
    if (!this.#mayStream || this.#isAnswered || this.#res.destroyed) return undefined;
    return (this.#stream ??= this.#streams.openPlain(this.#res));
  }

  answer(json: string | undefined, refused?: ErrorCode): void {
    this.#isAnswered = true;
    this.#streams.answered(this.#number);
    if (this.#stream === undefined) writeJson(this.#res, json, refused);
    else {
      if (json !== undefined) this.#stream.send(json);
      this.#stream.end();
    }
    this.#streams.dropStalled(this.#res, undefined);
  }

  onLeave(left: () => void): void {
    const leave = (): void => {
      if (!this.#isAnswered) left();
    };
    if (this.#res.destroyed) leave();
    else this.#res.once('close', leave);
  }
}
