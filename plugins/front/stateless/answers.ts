import { isGatewayError, isObject, jsonText } from 'pegboard';
import type { ClientMeta, ErrorCode, GatewayError, JsonObject, Log } from 'pegboard';
import { isWebAddress } from '../../kit/text/isWebAddress.ts';
import { rawMember, withRawMember } from '../../kit/text/rawJson.ts';
import { CodecError, RPC, writeError, writeFailure, writeResult } from '../message/codec.ts';
import type { MessageId } from '../message/codec.ts';
import { SERVER_INFO } from '../methods/introduction.ts';
import { wantsBrowser } from '../message/results.ts';
import { OWNER_KEY, SERVER_INFO_KEY } from './envelope.ts';

const OWN_INFO = JSON.stringify(SERVER_INFO);

/** How long clients may cache a result, and whether caches may share it. Source: MCP 2026-07-28, Caching. */
export interface CacheHints {
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}
export interface StatelessAnswer {
  readonly json: string;
  /** Why the request was refused without being run. */
  readonly refused?: ErrorCode;
}

interface Complete {
  /** JSON text of a result in the form of any revision. */
  readonly result: string;
  readonly hints: CacheHints | undefined;
  /** The owner handle for the client to send from now on; undefined if it sent one, or if nothing is stored for it. */
  readonly owner: string | undefined;
}

export function completeAnswer(id: MessageId, { result, hints, owner }: Complete): StatelessAnswer {
  let json = withRawMember(result, 'resultType', '"complete"');
  if (hints !== undefined) {
    json = withRawMember(json, 'ttlMs', String(hints.ttlMs));
    json = withRawMember(json, 'cacheScope', JSON.stringify(hints.cacheScope));
  }
  return { json: writeResult(id, signed(json, owner)) };
}

/** Adds the server info and the owner handle to `_meta`. */
function signed(result: string, owner: string | undefined): string {
  const given = result.includes('"_meta"') ? rawMember(result, '_meta') : undefined;
  const isGiven = given?.startsWith('{') === true;
  let meta = withRawMember(isGiven ? given : '{}', SERVER_INFO_KEY, OWN_INFO);
  // If an upstream server could set an owner, it would gain access to what its client stores.
  if (owner !== undefined || (isGiven && OWNER_KEY in (JSON.parse(given) as JsonObject)))
    meta = withRawMember(meta, OWNER_KEY, JSON.stringify(owner ?? null));
  return withRawMember(result, '_meta', meta);
}

/** @param requests JSON texts of requests by key @param state sent by the client with its answers; without it, the client
 *  repeats the call */
export function inputRequired(
  id: MessageId,
  requests: ReadonlyMap<string, string>,
  state: string | undefined,
): StatelessAnswer {
  const members = [...requests].map(([key, json]) => `${JSON.stringify(key)}:${json}`);
  const rest = state === undefined ? '' : `,"requestState":${JSON.stringify(state)}`;
  const json = `{"resultType":"input_required","inputRequests":{${members.join(',')}}${rest}}`;
  return { json: writeResult(id, signed(json, undefined)) };
}

/** A malformed request is refused; a later failure is an ordinary answer. */
export function refusalAnswer({ id, rpcCode, message, data }: CodecError): StatelessAnswer {
  const refused = rpcCode === RPC.methodNotFound ? 'REQUEST_NOT_FOUND' : 'REQUEST_MALFORMED';
  return { refused, json: writeError(id, rpcCode, message, data) };
}

interface FailureParts {
  /** Capabilities of the client: links are sent only if it accepts them. */
  readonly capabilities: JsonObject;
  readonly log: Log;
  /** What the request says in `_meta`. */
  readonly meta: ClientMeta | undefined;
}

export function failureAnswer(
  id: MessageId,
  thrown: unknown,
  { capabilities, log, meta }: FailureParts,
): StatelessAnswer {
  const links = wantsBrowser(thrown, capabilities) ? linksOf(thrown) : [];
  if (links.length > 0) return inputRequired(id, new Map(links), undefined);
  return {
    json: writeFailure(id, inThisRevision(thrown), { log, meta }),
  };
}

/** Maps errors that a server may not send in this revision: two codes no longer exist, and clients would take the codes of
 *  the protocol (such as `unsupported version`) for Pegboard's own. Source: MCP 2026-07-28, Error Codes. */
function inThisRevision(thrown: unknown): unknown {
  if (!isGatewayError(thrown)) return thrown;
  const { code, message, details } = thrown;
  if (code === 'RESOURCE_NOT_FOUND') return missingResource(message, details.uri);
  if (code !== 'UPSTREAM_ERROR') return thrown;
  if (isOfProtocol(details.code)) return new CodecError(RPC.internal, message);
  if (details.code !== RPC.resourceNotFound) return thrown;
  return missingResource(message, isObject(details.data) ? details.data['uri'] : undefined);
}

function missingResource(message: string, uri: unknown): CodecError {
  return new CodecError(RPC.invalidParams, message, null, typeof uri === 'string' ? { uri } : undefined);
}

function isOfProtocol(code: unknown): boolean {
  return typeof code === 'number' && code <= -32020 && code >= -32099;
}

/** The steps that older servers require in a browser before the call is repeated, as this revision's questions by key. */
function linksOf({
  details: { data },
}: GatewayError<'UPSTREAM_ERROR'>): readonly (readonly [string, string])[] {
  const asked = isObject(data) && Array.isArray(data['elicitations']) ? data['elicitations'] : [];
  return asked
    .filter(isObject)
    .filter((link) => isWebAddress(link['url']) && jsonText(link) !== undefined)
    .map((params, at) => [`link${at + 1}`, JSON.stringify({ method: 'elicitation/create', params })]);
}
