import type { ServerResponse } from 'node:http';
import { EventStream } from 'pegboard';
import type { Front, Session } from 'pegboard';
import type { StreamConfig } from './config.ts';

/** The GET streams that are open, one a session. */
export class Streams {
  readonly #streams = new Map<string, EventStream>();
  readonly #config: () => StreamConfig;
  #timer: NodeJS.Timeout | undefined;

  constructor(config: () => StreamConfig) {
    this.#config = config;
  }

  start(): void {
    clearInterval(this.#timer);
    this.#timer = setInterval(
      () => this.#streams.forEach((stream) => stream.keepAlive()),
      this.#config().keepAliveMs,
    );
    this.#timer.unref();
  }

  open(session: Session, front: Front, res: ServerResponse): void {
    this.close(session.id);
    const stream = new EventStream(res, this.#config().maxBufferedBytes);
    stream.keepAlive();
    this.#streams.set(session.id, stream);
    const detach = front.attach(session, { write: (json) => stream.send(json) });
    res.once('close', () => {
      detach();
      if (this.#streams.get(session.id) === stream) this.#streams.delete(session.id);
    });
  }

  close(sessionId: string): void {
    this.#streams.get(sessionId)?.end();
    this.#streams.delete(sessionId);
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const id of [...this.#streams.keys()]) this.close(id);
  }
}
