import { randomUUID } from 'node:crypto';
import { GatewayError } from 'pegboard';
import type { JsonObject, Scope } from 'pegboard';
import { Channel, Peers } from '../../contracts/processes.ts';

/** Time for an answer. */
const WAIT_MS = 2_000;
/** Bound on the text in a question or an answer: Redis cuts off all processes for a message above 32 MiB. JSON in JSON may
 *  double, and the seal adds a little. */
export const MAX_MESSAGE_BYTES = 4_194_304;

export interface PeerQuestionsParts {
  /** Its topic on the channel. */
  readonly topic: string;
  /** Answers another process, well within 2 s. If it fails, that process gets no answer. */
  readonly answer: (question: JsonObject) => JsonObject | Promise<JsonObject>;
}
type Message =
  | { readonly kind: 'question'; readonly id: string; readonly to: string; readonly question: JsonObject }
  | { readonly kind: 'answer'; readonly id: string; readonly answer: JsonObject };

/** Questions to one of the processes that act as one gateway, such as the one that holds a stream. */
export class PeerQuestions {
  readonly #scope: Scope<unknown>;
  readonly #parts: PeerQuestionsParts;
  readonly #waiting = new Map<string, (answer: JsonObject) => void>();

  /** Called in apply() only. */
  constructor(scope: Scope<unknown>, parts: PeerQuestionsParts) {
    this.#scope = scope;
    this.#parts = parts;
    const message = (received: JsonObject): void => this.#receive(received as unknown as Message);
    scope.each(Channel, (channel) => channel.subscribe(parts.topic, { message }));
  }

  /** The id by which other processes ask this one; undefined if it is alone. */
  get own(): string | undefined {
    return this.#scope.find(Peers)?.own;
  }

  /** @returns undefined if that process is this one, or has ended
   *  @throws GatewayError STORE_UNREACHABLE if it does not answer: it may have received the question; also if this process is
   *  alone, because nothing tells it whether others have ended */
  async ask(process: string, question: JsonObject): Promise<JsonObject | undefined> {
    const peers = this.#scope.find(Peers);
    if (peers === undefined) throw new GatewayError('STORE_UNREACHABLE', ALONE);
    if (process === peers.own || !(await peers.isAlive(process))) return undefined;
    const id = randomUUID();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new GatewayError('STORE_UNREACHABLE', NO_ANSWER));
      }, WAIT_MS);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(answer);
      });
      this.#send({ kind: 'question', id, to: process, question });
    });
  }

  #receive(message: Message): void {
    if (message.kind === 'answer') this.#waiting.get(message.id)?.(message.answer);
    else if (message.to === this.own) void this.#answer(message.id, message.question);
  }

  async #answer(id: string, question: JsonObject): Promise<void> {
    try {
      this.#send({ kind: 'answer', id, answer: await this.#parts.answer(question) });
    } catch (error) {
      this.#scope.log.error('a question of another process is not answered', {
        topic: this.#parts.topic,
        error,
      });
    }
  }

  #send(message: Message): void {
    this.#scope.find(Channel)?.publish(this.#parts.topic, { ...message });
  }
}

const ALONE =
  'the stream belongs to another process, and this one reaches no others: their store is switched off here; open a new stream';
const NO_ANSWER = 'the process that holds the stream does not answer, or has just ended; try again';
