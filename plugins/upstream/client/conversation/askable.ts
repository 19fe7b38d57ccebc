import { isObject } from 'pegboard';
import type { Client, JsonObject, Question } from 'pegboard';
import { isWebAddress } from '../../../kit/text/isWebAddress.ts';
import { rawMember } from '../../../kit/text/rawJson.ts';
import type { Topic } from '../options.ts';
import type { LateCall } from '../rpc/lateCalls.ts';
import type { Said } from '../rpc/pending.ts';

const TOPICS: Readonly<Record<Question['method'], Topic>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const UNCLEAR = -32000;

/** Why a server's request is not forwarded to a client: the JSON-RPC error that the server receives. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
}

export function topicOf(method: string): Topic | undefined {
  return Object.hasOwn(TOPICS, method) ? TOPICS[method as Question['method']] : undefined;
}

/** Params of a question as JSON text; there are clients that cannot read one without any. */
export function rawParams(question: string): string {
  return rawMember(question, 'params') ?? '{}';
}

/** The error for a request whose capability was not declared to the server. */
export function notOffered(method: string, topic: Topic | undefined): Refusal {
  const message =
    topic === undefined
      ? `method not found: ${method}`
      : `${method} is not offered: ${topic} is not among the questions of this server, which an operator may change`;
  return { code: METHOD_NOT_FOUND, message };
}

/** The one client that made all of these calls. On a wire that all calls share, a message does not show which call it
 *  belongs to: if several clients have calls, no client receives it, because it could be the wrong one. */
export function clientBehind({ about, late }: Pick<Said, 'about' | 'late'>): Client | 'none' | 'several' {
  const last = about.at(-1)?.client;
  if (last === undefined || about.some(({ client }) => client === undefined)) return 'none';
  return theOneOf([...about, ...late]) === undefined ? 'several' : last;
}

/** The client that made all of these calls. */
export function theOneOf(calls: readonly Pick<LateCall, 'client'>[]): Client | undefined {
  const last = calls.at(-1)?.client;
  return calls.every(({ client }) => client?.id === last?.id) ? last : undefined;
}

/** Servers forward the message to the model that made the call, so it names the model's next step.
 *  @param lateMs how long a call that was given up counts */
export function notAsked(
  who: 'none' | 'several',
  server: string,
  { about, late, lateMs }: Pick<Said, 'about' | 'late'> & { readonly lateMs: number },
): Refusal {
  const one = theOneOf(about);
  const last = late.findLast(({ client }) => client === undefined || client.id !== one?.id);
  const running =
    last === undefined
      ? ''
      : `that was cancelled ${secondsIn(performance.now() - last.since)} s ago may still run`;
  if (who === 'none') {
    const text = 'there is no client to ask: no call of a client is running';
    return { code: METHOD_NOT_FOUND, message: last === undefined ? text : `${text}; one ${running}` };
  }
  const isLate = one !== undefined && last !== undefined;
  const reason = isLate
    ? `a call of another client ${running} at server ${server}`
    : `another client is using server ${server}`;
  const wait = secondsIn(isLate ? last.until - performance.now() : lateMs);
  const message = `${reason}, and the server does not say which of them it asks; try again in ${wait} s`;
  return { code: UNCLEAR, message };
}
function secondsIn(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}

/** The error for a question of the shared connection of a server with instances. */
export function notOwned(server: string): Refusal {
  const ways = 'a session, a sign-in, or the handle in _meta of an answer';
  const message = `the client has no instance of server ${server} of its own, which takes ${ways}`;
  return { code: UNCLEAR, message };
}

/** Refuses a request that needs a capability the client has not declared. Source: MCP 2025-11-25, Elicitation and Sampling. */
export function capabilityRefusal(
  method: string,
  params: JsonObject,
  capabilities: JsonObject,
): Refusal | undefined {
  const topic = topicOf(method);
  const declared = topic === undefined ? undefined : capabilities[topic];
  if (!isObject(declared))
    return { code: METHOD_NOT_FOUND, message: `the client does not support ${method}` };
  if (topic === 'elicitation') return modeRefusal(params, declared);
  if (topic === 'sampling' && ('tools' in params || 'toolChoice' in params) && !isObject(declared['tools']))
    return { code: INVALID_PARAMS, message: 'the client does not support sampling with tools' };
  return undefined;
}

/** A client that declares no mode supports forms only. */
function modeRefusal({ mode = 'form', url }: JsonObject, declared: JsonObject): Refusal | undefined {
  const modes = Object.keys(declared).length === 0 ? ['form'] : Object.keys(declared);
  if (typeof mode !== 'string' || !modes.includes(mode))
    return { code: INVALID_PARAMS, message: `the client supports elicitation as ${modes.join(' or ')} only` };
  if (mode === 'url' && !isWebAddress(url))
    return { code: INVALID_PARAMS, message: 'url must be an http or https URL' };
  return undefined;
}
