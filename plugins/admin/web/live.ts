import type { ServerResponse } from 'node:http';
import { EventWriter } from '../../kit/http/eventWriter.ts';
import { HEADERS } from './answers.ts';

const CALM_MS = 1_000;
const BEAT_MS = 10_000;
const MAX_BUFFERED_BYTES = 65_536;

/** Whether who has opened a stream may still read it. */
export type MayRead = () => Promise<boolean>;

/** Tells open pages that something has changed; each then reads itself again. At most once a second, and nothing without pages. */
export class Live {
  readonly #open = new Map<EventWriter, MayRead>();
  readonly #isBusy: () => boolean;
  #beat: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;

  /** @param isBusy whether pages show something whose age matters: they are then told every ten seconds */
  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy;
  }

  /** @param mayRead asked before each event: the stream ends once it is false, or fails */
  open(res: ServerResponse, mayRead: MayRead): void {
    const stream = new EventWriter(res, MAX_BUFFERED_BYTES, HEADERS);
    stream.keepAlive();
    this.#open.set(stream, mayRead);
    this.#beat ??= setInterval(() => this.#tick(), BEAT_MS);
    res.once('close', () => {
      this.#open.delete(stream);
      if (this.#open.size === 0) this.#quiet();
    });
  }

  changed(): void {
    if (this.#open.size === 0 || this.#soon !== undefined) return;
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      this.#tell();
    }, CALM_MS);
  }

  stop(): void {
    for (const stream of this.#open.keys()) stream.end();
    this.#quiet();
  }

  #tick(): void {
    if (this.#isBusy()) this.#tell();
    else this.#each((stream) => stream.keepAlive());
  }

  #tell(): void {
    this.#each((stream) => stream.send('{}', 'changed'));
  }

  #each(write: (stream: EventWriter) => void): void {
    for (const [stream, mayRead] of this.#open)
      void mayRead().then(
        (may) => (may ? write(stream) : stream.end()),
        () => stream.end(),
      );
  }

  #quiet(): void {
    clearInterval(this.#beat);
    clearTimeout(this.#soon);
    this.#beat = undefined;
    this.#soon = undefined;
  }
}
