import { GatewayError, isObject } from 'pegboard';
import type { Caller, InboundRequest, Scope } from 'pegboard';
import { SignInStatuses } from '../../contracts/signIns.ts';
import type { GrantState } from '../../contracts/credentials.ts';
import type { ManagedService } from '../../contracts/services.ts';
import { SessionList } from '../../contracts/sessions.ts';
import type { SeenSession } from '../../contracts/sessions.ts';
import { isOf } from './ownerIn.ts';
import { serversIn } from './servers.ts';

const UP: ReadonlySet<string> = new Set(['running', 'connected', 'idle']);

/** One session as lists show it. */
export interface SessionFacts {
  /** Id in the log and the audit trail; it opens nothing, unlike the Mcp-Session-Id. */
  readonly id: string;
  /** Undefined without sign-in. */
  readonly identity?: ShownIdentity;
  readonly client?: { readonly name: string; readonly version: string };
  readonly revision: string;
  readonly transport: string;
  /** RFC 3339, as is the next one. */
  readonly createdAt: string;
  readonly lastSeenAt: string;
  /** Names of the servers that it can call now. */
  readonly servers: readonly string[];
  readonly questions: number;
  readonly canEnd: boolean;
}
export interface ShownIdentity {
  readonly subject: string;
  readonly issuer?: string;
  readonly email?: string;
  readonly groups?: readonly string[];
}
/** A server as one session uses it. */
export interface SessionServer {
  readonly name: string;
  readonly state: string;
  /** `own`: only this session or its caller uses the connection. */
  readonly connection: 'own' | 'shared';
  readonly tools: number;
  /** The sign-in of its caller there; absent if the server wants none. */
  readonly signIn?: string;
  readonly grant?: {
    readonly state: GrantState;
    readonly expires?: string;
    readonly reason?: string;
    readonly cure?: string;
  };
}

/** The sessions at this process, the one used last first. @param owner as ownerIn() says */
export function sessionsIn(scope: Scope<unknown>, owner?: Caller): readonly SeenSession[] {
  const all = scope.find(SessionList)?.all() ?? [];
  return all.filter(({ request }) => isOf(request.caller, owner));
}

/** @param owner as ownerIn() says @throws GatewayError REQUEST_NOT_FOUND, also for a session of others */
export function sessionNamed(scope: Scope<unknown>, id: string, owner?: Caller): SeenSession {
  const found = scope.find(SessionList)?.get(id);
  if (found !== undefined && isOf(found.request.caller, owner)) return found;
  const text = `no session ${id.slice(0, 40)} is in use here: it has ended, or was not used since the last start`;
  throw new GatewayError('REQUEST_NOT_FOUND', text);
}

export function sessionFacts(
  { session, client, request, lastSeenAt, questions, canEnd }: SeenSession,
  servers: readonly ManagedService[],
): SessionFacts {
  const identity = identityOf(request);
  return {
    id: session.id,
    ...(identity !== undefined && { identity }),
    ...(client !== undefined && { client }),
    revision: session.revision,
    transport: request.transport,
    createdAt: new Date(session.createdAt).toISOString(),
    lastSeenAt: new Date(lastSeenAt).toISOString(),
    servers: servers.filter((server) => UP.has(stateFor(server, request))).map(({ name }) => name),
    questions: questions.length,
    canEnd,
  };
}

/** Each server of which the session sees a tool, or has a connection of its own. */
export async function serversOf(
  scope: Scope<unknown>,
  { request }: SeenSession,
): Promise<readonly SessionServer[]> {
  const seen = serversIn(scope).map(async (server): Promise<SessionServer[]> => {
    const own = server.ownFor?.(request);
    const { tools = 0 } = server.status(request).metadata;
    if (tools === 0 && own === undefined) return [];
    const signIn = await scope.find(SignInStatuses)?.of(server.name, request);
    const { state, expires, reason, cure } = signIn?.grant ?? {};
    const grant = state && {
      state,
      ...(expires !== undefined && { expires }),
      ...(reason !== undefined && { reason }),
      ...(cure !== undefined && { cure }),
    };
    return [
      {
        name: server.name,
        state: stateFor(server, request),
        connection: own === undefined ? 'shared' : 'own',
        tools,
        ...(signIn !== undefined && { signIn: signIn.status }),
        ...(grant !== undefined && { grant }),
      },
    ];
  });
  return (await Promise.all(seen)).flat();
}

function stateFor(server: ManagedService, request: InboundRequest): string {
  return server.ownFor?.(request)?.state ?? server.status().state;
}

/** What identifies people, without the other claims. */
function identityOf({ caller }: InboundRequest): ShownIdentity | undefined {
  if (caller === undefined) return undefined;
  const { subject, issuer, claims } = caller;
  const { email, groups } = isObject(claims) ? claims : {};
  const isTexts = Array.isArray(groups) && groups.every((one) => typeof one === 'string');
  return {
    subject,
    ...(issuer !== undefined && { issuer }),
    ...(typeof email === 'string' && { email }),
    ...(isTexts && { groups: groups }),
  };
}
