import { randomUUID } from 'node:crypto';
import { Cancellation, isObject } from 'pegboard';
import type { CallResult, ClientAnswer, GatewayError, JsonObject, Question } from 'pegboard';
import { rawMember, withRawMember } from '../../../kit/text/rawJson.ts';
import type { UpstreamConfig } from '../../config.ts';
import type { Topic } from '../options.ts';
import { notOffered, rawParams, capabilityRefusal, topicOf } from './askable.ts';
import { isTask } from '../rpc/isTask.ts';
import type { Round } from '../rpc/pending.ts';
import { asError } from './questions.ts';
import { cancelled, cutOff, malformed, unfinished, taskAnswer, unanswered } from '../rpc/requestErrors.ts';
import type { Requests } from '../rpc/requests.ts';
import { withMembers } from '../rpc/rpcText.ts';

/** As many as the clients of the official SDKs allow. */
const MAX_ROUNDS = 10;
/** Questions of one round. A person is asked a few at most, and each is cut out of the text of all. */
const MAX_QUESTIONS = 32;
/** The wait before a round without a question. */
const PAUSE_MS = 250;

interface KeyedQuestion extends Omit<Question, 'progress'> {
  /** The server's name of it. */
  readonly key: string;
}
/** What a server needs for its next round. */
interface Required {
  readonly questions: readonly KeyedQuestion[];
  /** JSON text. */
  readonly state: string | undefined;
}
/** A call between two rounds. */
interface OpenRound {
  readonly round: Round;
  /** Withdraws its questions. */
  readonly cancel: Cancellation;
  /** Why there is no next round. */
  fault: GatewayError | undefined;
}

/** Asks the client what a result requires, and sends the call again with the answers.
 *  Source: MCP 2026-07-28, Multi Round-Trip Requests */
export class Rounds {
  readonly #server: string;
  readonly #requests: Requests;
  readonly #config: () => Pick<UpstreamConfig, 'questionTimeoutMs' | 'maxQuestionBytes'>;
  readonly #topics: () => readonly Topic[];
  readonly #open = new Set<OpenRound>();

  /** @param topics what the server may ask */
  constructor(
    server: string,
    requests: Requests,
    config: () => Pick<UpstreamConfig, 'questionTimeoutMs' | 'maxQuestionBytes'>,
    topics: () => readonly Topic[],
  ) {
    this.#server = server;
    this.#requests = requests;
    this.#config = config;
    this.#topics = topics;
  }

  /** Whether a call waits for a client, or for its next round. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Withdraws all questions: state and answers belong to the server that asked. Their calls fail. */
  end(reason: GatewayError): void {
    for (const open of this.#open) {
      open.fault = reason;
      open.cancel.cancel(reason.message);
    }
  }

  /** @param json a result that is not complete
   *  @throws GatewayError UPSTREAM_PROTOCOL for a malformed one, before anything is asked; UPSTREAM_ERROR if the client does not
   *  answer; UPSTREAM_CLOSED after end(); TOOL_CANCELLED */
  async next(json: string, round: Round): Promise<CallResult> {
    const { what, first, options, number } = round;
    const { questions, state } = this.#required(json, round);
    const open: OpenRound = { round, cancel: new Cancellation(), fault: undefined };
    this.#open.add(open);
    const answers = await this.#answers(questions, open).finally(() => this.#open.delete(open));
    const ended = this.#endOf(open);
    if (ended !== undefined) throw ended;
    const members = [
      ...(answers.length === 0 ? [] : [`"inputResponses":{${answers.join(',')}}`]),
      ...(state === undefined ? [] : [`"requestState":${state}`]),
    ];
    const further = { ...round, number: number + 1 };
    return this.#requests.call(what, withMembers(first, members.join(',')), options, further);
  }

  #required(json: string, round: Round): Required {
    if (isTask(JSON.parse(json) as JsonObject)) throw taskAnswer(this.#server, round);
    const type = rawMember(json, 'resultType') ?? '';
    const isLegacy = this.#requests.era === 'legacy' && round.options.asModern !== true;
    const isQuestion = type === '"input_required"';
    if (!isQuestion || isLegacy) {
      const text = `was answered with a result of type ${type.slice(0, 40)}, which is not supported`;
      throw isQuestion ? this.#fault(round, text) : malformed(this.#server, round, text);
    }
    if (round.number > MAX_ROUNDS)
      throw this.#fault(round, `still requires input after ${MAX_ROUNDS} rounds`);
    const state = rawMember(json, 'requestState');
    if (state?.startsWith('"') === false)
      throw this.#fault(round, 'requires input with a requestState that is not a text');
    const asked = rawMember(json, 'inputRequests') ?? '{}';
    const keys = objectIn(asked);
    if (keys === undefined)
      throw this.#fault(round, 'requires input with inputRequests that are not an object');
    const names = Object.keys(keys);
    if (names.length > MAX_QUESTIONS)
      throw this.#fault(
        round,
        `requires ${names.length} inputs at once; at most ${MAX_QUESTIONS} are asked for`,
      );
    const { maxQuestionBytes } = this.#config();
    if (Buffer.byteLength(asked) > maxQuestionBytes)
      throw this.#fault(round, `requires input: its questions are larger than ${maxQuestionBytes} bytes`);
    const questions = names.map((key) => this.#question(key, rawMember(asked, key) ?? '', round));
    if (questions.length === 0 && state === undefined)
      throw this.#fault(round, 'requires input, but has neither inputRequests nor requestState');
    return { questions, state };
  }

  #question(key: string, text: string, round: Round): KeyedQuestion {
    const { method, params = {} } = objectIn(text) ?? {};
    if (typeof method !== 'string' || !isObject(params))
      throw this.#fault(round, 'requires input that is not a request');
    const topic = topicOf(method);
    const refusal =
      topic === undefined || !this.#topics().includes(topic)
        ? notOffered(method, topic)
        : capabilityRefusal(method, params, round.options.client?.capabilities ?? {});
    if (refusal !== undefined) throw this.#fault(round, `requires input: ${refusal.message}`);
    return { key, method: method as Question['method'], params: paramsIn(text, params) };
  }

  /** The answers as JSON members. The first that fails withdraws the other questions. */
  async #answers(questions: readonly KeyedQuestion[], open: OpenRound): Promise<readonly string[]> {
    const { round, cancel } = open;
    const { cancel: call } = round.options;
    const stopListening = call?.onCancel((reason) => cancel.cancel(reason));
    const { questionTimeoutMs } = this.#config();
    const late = `there was no answer within ${questionTimeoutMs} ms`;
    const timer = setTimeout(() => cancel.cancel(late), questionTimeoutMs);
    try {
      if (questions.length === 0) await pause(cancel);
      return await Promise.all(questions.map((question) => this.#answer(question, round, cancel)));
    } catch (error) {
      cancel.cancel('another question of the call had no answer');
      throw this.#endOf(open) ?? error;
    } finally {
      clearTimeout(timer);
      stopListening?.();
    }
  }

  /** Why the call has ended meanwhile. */
  #endOf({ round: { what, options }, fault }: OpenRound): GatewayError | undefined {
    const reason = options.cancel?.reason;
    if (reason !== undefined) return cancelled(this.#server, { what, sent: true }, reason);
    return fault && cutOff(this.#server, { what }, fault);
  }

  async #answer({ key, ...question }: KeyedQuestion, round: Round, cancel: Cancellation): Promise<string> {
    const answer = await round.options.client?.ask(question, cancel).catch(asError);
    if (answer?.kind === 'result') return `${JSON.stringify(key)}:${answer.json}`;
    throw unanswered(this.#server, round, `the client did not answer ${question.method}: ${whyIn(answer)}`);
  }

  #fault(round: Round, text: string): GatewayError {
    return unfinished(this.#server, round, text);
  }
}

/** @returns undefined if the text is not an object */
function objectIn(json: string): JsonObject | undefined {
  const value: unknown = JSON.parse(json);
  return isObject(value) ? value : undefined;
}

/** The message of a JSON-RPC error. */
function whyIn(answer: ClientAnswer | undefined): string {
  const { message } = objectIn(answer?.json ?? '{}') ?? {};
  return typeof message === 'string' ? message : (answer?.json ?? 'there is no client');
}

/** As JSON text. Clients of older revisions expect an id with a url. */
function paramsIn(text: string, { mode, elicitationId }: JsonObject): string {
  const params = rawParams(text);
  if (mode !== 'url' || elicitationId !== undefined) return params;
  return withRawMember(params, 'elicitationId', JSON.stringify(randomUUID()));
}

/** A server that asks for patience gets it. */
async function pause(cancel: Cancellation): Promise<void> {
  let stopListening: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PAUSE_MS);
    stopListening = cancel.onCancel(() => resolve());
  });
  clearTimeout(timer);
  stopListening?.();
}
