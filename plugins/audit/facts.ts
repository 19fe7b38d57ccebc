import type { Call, InboundRequest, RefusedCall, Tool } from 'pegboard';
import { callerKey } from '../kit/authority/ownerOf.ts';
import { ADMIN } from '../kit/authority/adminPages.ts';
import { traceIdOf } from '../kit/calls/traceIdOf.ts';
import { digestOf, shortName } from './digest.ts';
import type { KnownDigests } from './knownDigests.ts';

/** The recorded members of a call, or of an attempted call. Arguments are recorded as a digest only. */
export interface CallFacts {
  /** Unique until the next line `started`; null if it was refused before it became a call. */
  readonly call: number | null;
  /** The call that made this one. */
  readonly parent: number | null;
  readonly tool: string;
  readonly kind: string | null;
  readonly server: string | null;
  /** `callerKey`, or OPERATOR. */
  readonly caller: string | null;
  readonly session: string | null;
  readonly trace: string | null;
  /** Null if the arguments are nested too deeply to be serialized. */
  readonly arguments: string | null;
  /** Digest of the tool's declaration. */
  readonly catalogue: string | null;
}

export function factsOf({ id, tool, args, request, parent, meta }: Call, digests: KnownDigests): CallFacts {
  return {
    call: id,
    parent: parent?.id ?? null,
    ...toolFacts(tool),
    ...requestFacts(request, digests),
    trace: traceIdOf(meta) ?? null,
    arguments: digestOf(args),
    catalogue: digests.ofTool(tool),
  };
}

export function refusedFacts(
  { name, args, request, parent, meta }: RefusedCall,
  digests: KnownDigests,
): CallFacts {
  return {
    call: null,
    parent: parent?.id ?? null,
    tool: shortName(name),
    kind: null,
    server: null,
    ...requestFacts(request, digests),
    trace: traceIdOf(meta) ?? null,
    arguments: digestOf(args),
    catalogue: null,
  };
}

function toolFacts({ name, kind, server }: Tool): Pick<CallFacts, 'tool' | 'kind' | 'server'> {
  return { tool: shortName(name), kind, server: server ?? null };
}

/** Who acts on the admin pages without a sign-in there, also where a question is asked for a session or a person: no `callerKey` is equal. */
const OPERATOR = 'operator';

function requestFacts(
  { caller, sessionId, transport, actor }: InboundRequest,
  digests: KnownDigests,
): Pick<CallFacts, 'caller' | 'session'> {
  const person = transport === ADMIN ? actor?.caller : caller;
  const unknown = transport === ADMIN ? OPERATOR : null;
  return {
    caller: person === undefined ? unknown : shortName(callerKey(person)),
    session: sessionId === undefined ? null : digests.ofSession(sessionId),
  };
}
