import { isObject, isWebAddress } from 'pegboard';
import type { Client, JsonObject, Question } from 'pegboard';
import type { Topic } from '../definition.ts';
import type { Said } from './pending.ts';

const TOPICS: Readonly<Record<Question['method'], Topic>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const UNCLEAR = -32000;

/** Why a server's request is not put to a client, as it is told to the server. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
}

export function topicOf(method: string): Topic | undefined {
  return Object.hasOwn(TOPICS, method) ? TOPICS[method as Question['method']] : undefined;
}

/** A server asks for what it was not told that it may. */
export function notOffered(method: string, topic: Topic | undefined): Refusal {
  const message =
    topic === undefined
      ? `method not found: ${method}`
      : `${method} is not offered: ${topic} is not among the questions of this server, which an operator may change`;
  return { code: METHOD_NOT_FOUND, message };
}

/** The one client that is behind all of these calls. On a wire that all calls share nothing says which of them a message
 *  belongs to: with several clients nobody gets it rather than the wrong one. */
export function clientBehind({ about, late }: Pick<Said, 'about' | 'late'>): Client | 'none' | 'several' {
  const last = about.at(-1)?.client;
  if (last === undefined || about.some(({ client }) => client === undefined)) return 'none';
  const ids = [...about.map(({ client }) => client?.id), ...late];
  return ids.every((id) => id === last.id) ? last : 'several';
}

/** Servers pass it on to the model that made the call, so it says what that one can do.
 *  @param retryMs after which a call that was given up counts no more */
export function notAsked(who: 'none' | 'several', server: string, retryMs: number): Refusal {
  if (who === 'none')
    return { code: METHOD_NOT_FOUND, message: 'no client is there to be asked: no call of one is under way' };
  const seconds = Math.max(1, Math.ceil(retryMs / 1_000));
  const reason = `another client is using server ${server}, and the server does not say which of them it asks`;
  return { code: UNCLEAR, message: `${reason}; try again in ${seconds} s` };
}

/** What the client has not declared is not put to it. Source: MCP 2025-11-25, Elicitation and Sampling. */
export function refusalOf(method: string, params: JsonObject, capabilities: JsonObject): Refusal | undefined {
  const topic = topicOf(method);
  const declared = topic === undefined ? undefined : capabilities[topic];
  if (!isObject(declared)) return { code: METHOD_NOT_FOUND, message: `the client does not take ${method}` };
  if (topic === 'elicitation') return modeRefusal(params, declared);
  if (topic === 'sampling' && ('tools' in params || 'toolChoice' in params) && !isObject(declared['tools']))
    return { code: INVALID_PARAMS, message: 'the client does not take sampling with tools' };
  return undefined;
}

/** A client that names no mode takes forms. */
function modeRefusal({ mode = 'form', url }: JsonObject, declared: JsonObject): Refusal | undefined {
  const modes = Object.keys(declared).length === 0 ? ['form'] : Object.keys(declared);
  if (typeof mode !== 'string' || !modes.includes(mode))
    return { code: INVALID_PARAMS, message: `the client takes elicitation as ${modes.join(' or ')} only` };
  if (mode === 'url' && !isWebAddress(url))
    return { code: INVALID_PARAMS, message: 'url must be an http or https URL' };
  return undefined;
}
