import { Cancellation, GatewayError, isGatewayError, isObject, messageOf } from 'pegboard';
import type { Client, ClientAnswer, JsonObject, Progress, Question } from 'pegboard';
import type { Topic } from '../options.ts';
import {
  clientBehind,
  notAsked,
  notOffered,
  notOwned,
  rawParams,
  capabilityRefusal,
  topicOf,
} from './askable.ts';
import type { Refusal } from './askable.ts';
import type { UpstreamConfig } from '../../config.ts';
import type { Pending, Said } from '../rpc/pending.ts';

export interface QuestionParts {
  readonly server: string;
  readonly config: () => Pick<
    UpstreamConfig,
    'questions' | 'questionTimeoutMs' | 'maxQuestionBytes' | 'lateMs'
  >;
  /** Whether the calls are of clients that should have instances of their own. */
  readonly isUnowned: () => boolean;
  /** The server has asked for something for the first time. */
  readonly newTopic: () => void;
  /** Sends a message to the server. */
  readonly reply: (text: string) => void;
  /** The client is about to be asked to open a url: the server may later report its completion under this id. */
  readonly asksByUrl: (elicitationId: string, client: Client) => void;
}

/** A question that waits for a client's answer. It is cancelled when the last call it may belong to has ended. */
class OpenQuestion {
  readonly cancel = new Cancellation();
  readonly #calls: Set<Pending>;
  /** The server no longer expects an answer. */
  isVoid = false;

  constructor(calls: readonly Pending[]) {
    this.#calls = new Set(calls);
    for (const call of calls) (call.questions ??= new Set()).add(this);
  }

  callEnded(call: Pending): void {
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.cancel.cancel('the call is over');
  }

  /** The time a person takes to answer does not count towards the time-outs of the calls. */
  end(): void {
    for (const call of this.#calls) {
      call.questions?.delete(this);
      call.lastHeardAt = performance.now();
    }
  }
}

/** Forwards requests of one server to the client they belong to, and returns the answer under the server's own id. */
export class Questions {
  readonly #parts: QuestionParts;
  /** What the server has asked for so far, offered or not. */
  readonly topics = new Set<Topic>();
  readonly #openById = new Map<string, OpenQuestion>();

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  asked(id: unknown, said: Said): void {
    const { method, params, text, about } = said;
    const key = JSON.stringify(id);
    if (method === 'ping') {
      this.#reply(key, '"result":{}');
      return;
    }
    const { questions, maxQuestionBytes, lateMs } = this.#parts.config();
    const topic = topicOf(method);
    if (topic !== undefined) this.#note(topic);
    if (topic === undefined || !questions.includes(topic)) {
      this.#refuse(key, notOffered(method, topic));
      return;
    }
    if (this.#parts.isUnowned()) {
      this.#refuse(key, notOwned(this.#parts.server));
      return;
    }
    const client = clientBehind(said);
    if (typeof client === 'string') {
      this.#refuse(key, notAsked(client, this.#parts.server, { ...said, lateMs }));
      return;
    }
    // Without sessions each call says what its client can be asked.
    const refusalIn = ({ client }: Pending): Refusal | undefined =>
      capabilityRefusal(method, params, client?.capabilities ?? {});
    const calls = about.filter((call) => refusalIn(call) === undefined);
    const refusal =
      calls.length === 0
        ? capabilityRefusal(method, params, client.capabilities)
        : this.#tooMuch(key, text, maxQuestionBytes);
    if (refusal !== undefined) {
      this.#refuse(key, refusal);
      return;
    }
    const { elicitationId } = params;
    if (typeof elicitationId === 'string') this.#parts.asksByUrl(elicitationId, client);
    const question = {
      method: method as Question['method'],
      params: rawParams(text),
      progress: this.#progressOf(params),
    };
    void this.#put(key, question, { about, calls });
  }

  /** The server has cancelled its request. @param requestId as it sent it */
  takenBack(requestId: unknown, reason: unknown): void {
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    const open = this.#openById.get(JSON.stringify(requestId));
    if (open === undefined) return;
    open.isVoid = true;
    open.cancel.cancel(typeof reason === 'string' ? reason : 'the server cancelled it');
  }

  /** The connection has ended: ids of its requests are not valid on the next one. */
  dropAll(): void {
    for (const open of this.#openById.values()) {
      open.isVoid = true;
      open.cancel.cancel('the connection to the server ended');
    }
  }

  #note(topic: Topic): void {
    if (this.topics.has(topic)) return;
    this.topics.add(topic);
    this.#parts.newTopic();
  }

  async #put(
    key: string,
    question: Question,
    { about, calls }: { readonly about: readonly Pending[]; readonly calls: readonly Pending[] },
  ): Promise<void> {
    const open = new OpenQuestion(about);
    const { questionTimeoutMs } = this.#parts.config();
    this.#openById.set(key, open);
    const timer = setTimeout(
      () => open.cancel.cancel(`there was no answer within ${questionTimeoutMs} ms`),
      questionTimeoutMs,
    );
    const answer = await askIn(calls, question, open.cancel).catch(asError);
    clearTimeout(timer);
    open.end();
    if (this.#openById.get(key) === open) this.#openById.delete(key);
    if (!open.isVoid) this.#reply(key, `"${answer.kind}":${answer.json}`);
  }

  #tooMuch(key: string, text: string, maxBytes: number): Refusal | undefined {
    if (this.#openById.has(key)) return { code: -32600, message: `a request with the id ${key} is open` };
    if (Buffer.byteLength(text) <= maxBytes) return undefined;
    return { code: -32600, message: `the question is larger than ${maxBytes} bytes` };
  }

  /** Reports progress under the server's own token, as it sent it. */
  #progressOf({ _meta }: JsonObject): Question['progress'] {
    const token = isObject(_meta) ? _meta['progressToken'] : undefined;
    if (typeof token !== 'string' && typeof token !== 'number') return undefined;
    const tell = (update: Progress): void => {
      const params = { progressToken: token, ...update };
      this.#parts.reply(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }));
    };
    return { token, tell };
  }

  #refuse(key: string, refusal: Refusal): void {
    this.#reply(key, `"error":${JSON.stringify(refusal)}`);
  }
  #reply(key: string, answer: string): void {
    this.#parts.reply(`{"jsonrpc":"2.0","id":${key},${answer}}`);
  }
}

/** Asks in the last of the client's calls. One without sessions is asked in the call itself, so if that ends meanwhile, in the one before. */
async function askIn(
  calls: readonly Pending[],
  question: Question,
  cancel: Cancellation,
): Promise<ClientAnswer> {
  const [call, client] = [calls.at(-1), calls.at(-1)?.client];
  if (call === undefined || client === undefined)
    throw new GatewayError('TOOL_CANCELLED', 'the call is over');
  try {
    return await client.ask(question, cancel);
  } catch (error) {
    if (client.hasSession || !call.isSettled || cancel.reason !== undefined) throw error;
    const left = calls.filter(({ isSettled }) => !isSettled);
    if (left.length === 0) throw error;
    return askIn(left, question, cancel);
  }
}

/** The answer to the server in place of one that its client did not give. */
export function asError(error: unknown): ClientAnswer {
  const message = isGatewayError(error) ? error.message : messageOf(error);
  return { kind: 'error', json: JSON.stringify({ code: -32000, message }) };
}
