import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { isGatewayError } from 'pegboard';
import type { JsonObject, Log, Scope } from 'pegboard';
import { PeerQuestions } from '../kit/processes/peerQuestions.ts';
import type { EventWriter } from '../kit/http/eventWriter.ts';
import type { Session } from '../contracts/sessions.ts';
import type { StreamConfig } from './config.ts';
import type { Passed } from './resumableStream.ts';
import { Streams } from './streams.ts';

interface Question extends JsonObject {
  readonly sessionId: string;
  readonly eventId: string;
  readonly reader: string;
  readonly isFirst: boolean;
}
/** How a client resumes a stream of another process: it has no such event; that process has ended; the next event is more than
 *  processes send one another. */
export type Resumed = 'resumed' | 'unknown' | 'ended' | 'too large';

/** Streams of this process for clients that resume them at others, and the reverse. */
export class FarStreams {
  readonly streams: Streams;
  readonly #peers: PeerQuestions;
  readonly #log: Log;

  /** Called in apply() only. */
  constructor(scope: Scope<StreamConfig>) {
    this.#log = scope.log;
    this.streams = new Streams(
      () => scope.config,
      scope.log,
      () => this.#peers.own,
    );
    this.#peers = new PeerQuestions(scope, {
      topic: 'resumed-stream',
      answer: async (question) => {
        const { sessionId, eventId, reader, isFirst } = question as Question;
        return { passed: await this.streams.pass(sessionId, eventId, { id: reader, isFirst }) };
      },
    });
  }

  /** Passes on what follows an event of a stream of another process, as fast as the client reads.
   *  @throws GatewayError STORE_UNREACHABLE if that process does not answer */
  async resume(session: Session, eventId: string, res: ServerResponse): Promise<Resumed> {
    const [, stream = '', process] = /^(\w[\w-]{16}\.([\w-]+))_\d+$/.exec(eventId) ?? [];
    if (process === undefined || process === this.#peers.own) return 'unknown';
    const ask = { sessionId: session.id, reader: randomUUID() };
    const first = await this.#peers.ask(process, { ...ask, eventId, isFirst: true });
    if (first === undefined) return 'ended';
    if (passedIn(first) === undefined || res.destroyed) return 'unknown';
    if (passedIn(first)?.isTooLarge === true) return 'too large';
    const live = this.streams.openPlain(res);
    // Shown before the first event, which may be long in coming.
    live.keepAlive();
    const passOn = async (): Promise<void> => {
      let passed = passedIn(first);
      let last = eventId;
      while (passed !== undefined) {
        for (const { number, json } of passed.events) {
          await caughtUp(live, res);
          last = `${stream}_${number}`;
          live.send(json, 'message', last);
        }
        await caughtUp(live, res);
        if (passed.isOver || passed.isTooLarge || res.writableEnded || res.destroyed) return;
        passed = passedIn(await this.#peers.ask(process, { ...ask, eventId: last, isFirst: false }));
      }
    };
    void passOn()
      .catch((error: unknown) => {
        // That process has ended, or cannot be reached; the client is told so when it resumes again.
        if (!isGatewayError(error)) this.#log.error('a stream of another process has failed', { error });
      })
      .finally(() => live.end());
    return 'resumed';
  }
}

function passedIn(answer: JsonObject | undefined): Passed | undefined {
  return answer?.['passed'] as Passed | undefined;
}

function caughtUp(live: EventWriter, res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const goOn = (): void => {
      res.off('close', goOn);
      resolve();
    };
    if (res.destroyed || !live.isBehind(goOn)) resolve();
    else res.once('close', goOn);
  });
}
