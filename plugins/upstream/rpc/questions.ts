import { Cancellation, isGatewayError, isObject, messageOf, rawMember } from 'pegboard';
import type { Client, ClientAnswer, JsonObject, Progress, Question } from 'pegboard';
import { clientBehind, notAsked, notOffered, refusalOf, topicOf } from './askable.ts';
import type { Refusal } from './askable.ts';
import type { UpstreamConfig } from '../config.ts';
import type { Pending, Said } from './pending.ts';

export interface QuestionParts {
  readonly server: string;
  readonly config: () => Pick<
    UpstreamConfig,
    'questions' | 'questionTimeoutMs' | 'maxQuestionBytes' | 'lateMs'
  >;
  /** To the server. */
  readonly reply: (text: string) => void;
  /** It is about to be asked in a browser, so the server may report its end under this id. */
  readonly asksByUrl: (elicitationId: string, client: Client) => void;
}

/** A question that waits for a client. It ends with the last of the calls that it may belong to. */
class OpenQuestion {
  readonly cancel = new Cancellation();
  readonly #calls: Set<Pending>;
  /** The server wants no answer any more. */
  isVoid = false;

  constructor(calls: readonly Pending[]) {
    this.#calls = new Set(calls);
    for (const call of calls) (call.questions ??= new Set()).add(this);
  }

  callEnded(call: Pending): void {
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.cancel.cancel('the call is over');
  }

  /** Time that a person takes is no silence of the server. */
  end(): void {
    for (const call of this.#calls) {
      call.questions?.delete(this);
      call.lastHeardAt = performance.now();
    }
  }
}

/** Requests of one server: put to the client they belong to, with the server's own id on the way back. */
export class Questions {
  readonly #parts: QuestionParts;
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
    if (topic === undefined || !questions.includes(topic)) {
      this.#refuse(key, notOffered(method, topic));
      return;
    }
    const client = clientBehind(said);
    if (typeof client === 'string') {
      this.#refuse(key, notAsked(client, this.#parts.server, lateMs));
      return;
    }
    const refusal =
      refusalOf(method, params, client.capabilities) ?? this.#tooMuch(key, text, maxQuestionBytes);
    if (refusal !== undefined) {
      this.#refuse(key, refusal);
      return;
    }
    const { elicitationId } = params;
    if (typeof elicitationId === 'string') this.#parts.asksByUrl(elicitationId, client);
    const question = {
      method: method as Question['method'],
      params: rawMember(text, 'params'),
      progress: this.#progressOf(params),
    };
    void this.#put(key, question, { client, calls: about });
  }

  /** The server wants no answer any more. @param requestId as it sent it */
  takenBack(requestId: unknown, reason: unknown): void {
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    const open = this.#openById.get(JSON.stringify(requestId));
    if (open === undefined) return;
    open.isVoid = true;
    open.cancel.cancel(typeof reason === 'string' ? reason : 'the server took it back');
  }

  /** The connection that they came on is over: ids mean nothing on the next one. */
  dropAll(): void {
    for (const open of this.#openById.values()) {
      open.isVoid = true;
      open.cancel.cancel('the connection to the server ended');
    }
  }

  async #put(
    key: string,
    question: Question,
    { client, calls }: { readonly client: Client; readonly calls: readonly Pending[] },
  ): Promise<void> {
    const open = new OpenQuestion(calls);
    const { questionTimeoutMs } = this.#parts.config();
    this.#openById.set(key, open);
    const timer = setTimeout(
      () => open.cancel.cancel(`there was no answer within ${questionTimeoutMs} ms`),
      questionTimeoutMs,
    );
    const answer = await client.ask(question, open.cancel).catch(asError);
    clearTimeout(timer);
    open.end();
    if (this.#openById.get(key) === open) this.#openById.delete(key);
    if (!open.isVoid) this.#reply(key, `"${answer.kind}":${answer.json}`);
  }

  #tooMuch(key: string, text: string, maxBytes: number): Refusal | undefined {
    if (this.#openById.has(key)) return { code: -32600, message: `a request with the id ${key} is open` };
    if (Buffer.byteLength(text) <= maxBytes) return undefined;
    return { code: -32600, message: `the question is over ${maxBytes} bytes` };
  }

  /** Under the server's own token, as it sent it. */
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

function asError(error: unknown): ClientAnswer {
  const message = isGatewayError(error) ? error.message : messageOf(error);
  return { kind: 'error', json: JSON.stringify({ code: -32000, message }) };
}
