import { randomUUID } from 'node:crypto';
import { Cancellation, GatewayError, isObject, rawMember, withRawMember } from 'pegboard';
import type { CallResult, JsonObject, Question } from 'pegboard';
import type { UpstreamConfig } from '../config.ts';
import type { Topic } from '../definition.ts';
import { notOffered, refusalOf, topicOf } from './askable.ts';
import { isTask } from './isTask.ts';
import type { Round } from './pending.ts';
import type { Requests } from './requests.ts';
import { withMembers } from './rpcText.ts';

/** As many as the clients of the official SDKs allow. */
const MAX_ROUNDS = 10;
/** The wait before a round without a question. */
const PAUSE_MS = 250;

export interface RoundParts {
  readonly server: string;
  readonly requests: Requests;
  readonly config: () => Pick<UpstreamConfig, 'questionTimeoutMs' | 'maxQuestionBytes'>;
  /** What the server may ask. */
  readonly topics: () => readonly Topic[];
}

/** Asks the client what a result requires, and sends the call again with the answers.
 *  Source: MCP 2026-07-28, Multi Round-Trip Requests */
export class Rounds {
  readonly #parts: RoundParts;

  constructor(parts: RoundParts) {
    this.#parts = parts;
  }

  /** @param json a result that is not complete
   *  @throws GatewayError UPSTREAM_PROTOCOL for a malformed one; UPSTREAM_ERROR if the client does not answer; TOOL_CANCELLED */
  async next(json: string, round: Round): Promise<CallResult> {
    const { what, first, options, number } = round;
    const { requests } = this.#parts;
    if (isTask(JSON.parse(json) as JsonObject)) throw this.#task(round);
    const type = rawMember(json, 'resultType') ?? '';
    if (type !== '"input_required"' || requests.era === 'legacy')
      throw this.#fault(
        round,
        `was answered with a result of type ${type.slice(0, 40)}, which is not supported`,
      );
    if (number > MAX_ROUNDS) throw this.#fault(round, `still requires input after ${MAX_ROUNDS} rounds`);
    const state = rawMember(json, 'requestState');
    const asked = rawMember(json, 'inputRequests') ?? '{}';
    const keys = keysOf(asked);
    if (keys === undefined || (keys.length === 0 && state === undefined))
      throw this.#fault(round, 'requires input, but has neither inputRequests nor requestState');
    if (keys.length === 0) await pause(options.cancel);
    const answers = await this.#answers(keys, asked, round);
    const members = [
      ...(answers.length === 0 ? [] : [`"inputResponses":{${answers.join(',')}}`]),
      ...(state === undefined ? [] : [`"requestState":${state}`]),
    ];
    const further = { ...round, number: number + 1 };
    return requests.call(what, withMembers(first, members.join(',')), options, further);
  }

  /** The answers as JSON members. The first that fails withdraws the other questions. */
  async #answers(keys: readonly string[], asked: string, round: Round): Promise<readonly string[]> {
    const cancel = new Cancellation();
    const stopListening = round.options.cancel?.onCancel((reason) => cancel.cancel(reason));
    const { questionTimeoutMs } = this.#parts.config();
    const late = `there was no answer within ${questionTimeoutMs} ms`;
    const timer = setTimeout(() => cancel.cancel(late), questionTimeoutMs);
    try {
      const work = keys.map(async (key) => {
        const answer = await this.#answer(rawMember(asked, key) ?? '', round, cancel);
        return `${JSON.stringify(key)}:${answer}`;
      });
      return await Promise.all(work);
    } catch (error) {
      cancel.cancel('another question of the call had no answer');
      throw error;
    } finally {
      clearTimeout(timer);
      stopListening?.();
    }
  }

  async #answer(text: string, round: Round, cancel: Cancellation): Promise<string> {
    const { config, topics } = this.#parts;
    const { client } = round.options;
    const { method, params = {} } = readRequest(text) ?? {};
    if (typeof method !== 'string' || !isObject(params))
      throw this.#fault(round, 'requires input that is not a request');
    const topic = topicOf(method);
    const refusal =
      topic === undefined || !topics().includes(topic)
        ? notOffered(method, topic)
        : refusalOf(method, params, client?.capabilities ?? {});
    if (refusal !== undefined) throw this.#fault(round, `requires input: ${refusal.message}`);
    const { maxQuestionBytes } = config();
    if (Buffer.byteLength(text) > maxQuestionBytes)
      throw this.#fault(round, `requires input: the question is larger than ${maxQuestionBytes} bytes`);
    const question = { method: method as Question['method'], params: paramsIn(text, params) };
    const answer = await client?.ask(question, cancel);
    if (answer?.kind === 'result') return answer.json;
    const { server } = this.#parts;
    const why = `the client did not answer ${method}: ${answer?.json ?? ''}`;
    const message = `${round.what} of server ${server} failed: ${why}`;
    throw new GatewayError('UPSTREAM_ERROR', message, { details: { server } });
  }

  #task({ what }: Round): GatewayError {
    const { server } = this.#parts;
    const reason = `${what} of server ${server} was answered with a task, which was not asked for`;
    const next = 'there are no tasks here; it may have run, check its effect before calling again';
    const details = { server, mayHaveRun: true };
    return new GatewayError('UPSTREAM_PROTOCOL', `${reason}: ${next}`, { details });
  }

  #fault({ what }: Round, text: string): GatewayError {
    const { server } = this.#parts;
    return new GatewayError('UPSTREAM_PROTOCOL', `${what} of server ${server} ${text}`, {
      details: { server },
    });
  }
}

/** @returns undefined if the text is not an object */
function keysOf(json: string): readonly string[] | undefined {
  const value: unknown = JSON.parse(json);
  return isObject(value) ? Object.keys(value) : undefined;
}

function readRequest(text: string): JsonObject | undefined {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : undefined;
}

/** As JSON text. Clients of older revisions expect an id with a url. */
function paramsIn(text: string, { mode, elicitationId }: JsonObject): string | undefined {
  const params = rawMember(text, 'params');
  if (mode !== 'url' || elicitationId !== undefined || params === undefined) return params;
  return withRawMember(params, 'elicitationId', JSON.stringify(randomUUID()));
}

/** A server that asks for patience gets it. */
async function pause(cancel: Cancellation | undefined): Promise<void> {
  let stopListening: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PAUSE_MS);
    stopListening = cancel?.onCancel(() => resolve());
  });
  clearTimeout(timer);
  stopListening?.();
}
