import { randomUUID } from 'node:crypto';
import type { Caller, ClientMeta, ErrorCode, JsonObject, Scope } from 'pegboard';
import { Channel, Peers } from '../../contracts/processes.ts';
import type { StatelessSink } from '../../contracts/mcp.ts';
import { CodecError, RPC } from '../message/codec.ts';
import type { StatelessAnswer } from './answers.ts';
import type { Envelope } from './envelope.ts';

const TOPIC = 'parked-call';
/** The other process says within `receiptMs` that it runs the request, and again when asked after `askAgainMs`; else it has
 *  ended, or messages are lost. */
const WAITS = { receiptMs: 2_000, askAgainMs: 5_000 };

/** A request that continues a call which waits in another process. */
export interface Forwarded {
  readonly text: string;
  readonly envelope: Envelope;
  readonly caller: Caller | undefined;
  /** Id of the request at the process that received it: joins its log lines at both. */
  readonly request: string;
  /** Trace of that request, also if it came in headers. */
  readonly trace: ClientMeta | undefined;
}
type ForwardMessage = { readonly id: string } & (
  | ({ readonly kind: 'run'; readonly process: string } & Forwarded)
  | { readonly kind: 'left' | 'stillRuns?' | 'runs' }
  | { readonly kind: 'before'; readonly json: string }
  | { readonly kind: 'answer'; readonly json: string; readonly refused?: ErrorCode }
);
type Run = (forwarded: Forwarded, sink: StatelessSink) => Promise<StatelessAnswer>;
type Receiver = (message: ForwardMessage) => void;

/** Requests whose call waits in another process: that process runs them, and this one passes on what it answers. */
export class ForwardedCalls {
  readonly #scope: Scope<unknown>;
  readonly #run: Run;
  readonly #waits: typeof WAITS;
  /** Receivers by the id of the forwarded request: at the process that runs it, and at the one that has its client. */
  readonly #receivers = new Map<string, Receiver>();

  /** Called in apply() only. @param run never rejects */
  constructor(scope: Scope<unknown>, run: Run, waits = WAITS) {
    this.#scope = scope;
    this.#waits = waits;
    this.#run = run;
    const message = (received: JsonObject): void => {
      const one = received as unknown as ForwardMessage;
      if (one.kind === 'run') this.#begin(one);
      else this.#receivers.get(one.id)?.(one);
    };
    scope.each(Channel, (channel) => channel.subscribe(TOPIC, { message }));
  }

  /** @returns the process that has the call of this state; undefined if it is this one, or none
   *  @throws GatewayError STORE_UNREACHABLE */
  async processOf(state: unknown): Promise<string | undefined> {
    const peers = this.#scope.find(Peers);
    const [, process] = /^([\w-]+)\./.exec(typeof state === 'string' ? state : '') ?? [];
    if (peers === undefined || process === undefined || process === peers.own) return undefined;
    return (await peers.isAlive(process)) ? process : undefined;
  }

  /** @throws CodecError if that process does not answer */
  forward(process: string, forwarded: Forwarded, sink: StatelessSink): Promise<StatelessAnswer> {
    const id = randomUUID();
    const { receiptMs, askAgainMs } = this.#waits;
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const end = (): void => {
        clearTimeout(timer);
        this.#receivers.delete(id);
      };
      const lose = (): void => {
        end();
        reject(new CodecError(RPC.internal, LOST));
      };
      const askAgain = (): void => {
        this.#send({ id, kind: 'stillRuns?' });
        timer = setTimeout(lose, receiptMs);
      };
      this.#receivers.set(id, (message) => {
        clearTimeout(timer);
        timer = setTimeout(askAgain, askAgainMs);
        if (message.kind === 'before') sink.before(message.json);
        if (message.kind !== 'answer') return;
        end();
        resolve(message);
      });
      sink.onLeave(() => {
        end();
        this.#send({ id, kind: 'left' });
      });
      this.#send({ id, kind: 'run', process, ...forwarded });
      timer = setTimeout(lose, receiptMs);
    });
  }

  #begin({ id, process, ...forwarded }: ForwardMessage & { readonly kind: 'run' }): void {
    if (process !== this.#scope.find(Peers)?.own) return;
    let leave = (): void => undefined;
    this.#receivers.set(id, ({ kind }) => {
      if (kind === 'left') leave();
      else this.#send({ id, kind: 'runs' });
    });
    this.#send({ id, kind: 'runs' });
    const sink: StatelessSink = {
      before: (json) => this.#send({ id, kind: 'before', json }),
      onLeave: (left) => (leave = left),
      // Called for other requests only.
      stand: () => undefined,
      answer: () => undefined,
    };
    void this.#run(forwarded, sink).then((answer) => {
      this.#receivers.delete(id);
      this.#send({ id, kind: 'answer', ...answer });
    });
  }

  #send(message: ForwardMessage): void {
    this.#scope.find(Channel)?.publish(TOPIC, message as unknown as JsonObject);
  }
}

const LOST =
  'the process in which this call waits does not answer; the call may have been carried out or not: repeat it if that is safe';
