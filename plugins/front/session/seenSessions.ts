import { isObject } from 'pegboard';
import type { InboundRequest } from 'pegboard';
import { setNewest } from '../../kit/limits/setNewest.ts';
import type { SeenSession, Session } from '../../contracts/sessions.ts';

type ClientName = SeenSession['client'];
/** Nothing of the request itself is kept: it holds its connection. */
interface Seen {
  readonly session: Session;
  readonly client: ClientName;
  lastSeenAt: number;
  facts: Omit<InboundRequest, 'header'>;
}

/** The sessions that were used last at this process: for the operator only, everything else is in their handles (decision D10). */
export class SeenSessions {
  readonly #byId = new Map<string, Seen>();
  readonly #max: () => number;

  constructor(max: () => number) {
    this.#max = max;
  }

  /** @param clientInfo as the client sent it */
  opened(session: Session, request: InboundRequest, clientInfo: unknown): void {
    this.#set({ session, client: nameIn(clientInfo), ...now(session, request) });
  }

  used(session: Session, request: InboundRequest): void {
    const known = this.#byId.get(session.id);
    if (known === undefined) this.#set({ session, client: undefined, ...now(session, request) });
    else if (isSame(known.facts, request)) known.lastSeenAt = Date.now();
    else Object.assign(known, now(session, request));
  }

  /** The one used last first. */
  all(): readonly Seen[] {
    return [...this.#byId.values()].sort((one, other) => other.lastSeenAt - one.lastSeenAt);
  }
  get(id: string): Seen | undefined {
    return this.#byId.get(id);
  }
  delete(id: string): void {
    this.#byId.delete(id);
  }

  /** @param time ms since the epoch: sessions that began earlier have expired */
  dropBefore(time: number): void {
    for (const [id, { session }] of this.#byId) if (session.createdAt < time) this.#byId.delete(id);
  }

  #set(seen: Seen): void {
    setNewest(this.#byId, [seen.session.id, seen], this.#max());
  }
}

function now({ id }: Session, request: InboundRequest): Pick<Seen, 'lastSeenAt' | 'facts'> {
  const { id: requestId, transport, access, caller, toolset, anonymousOwner, remoteAddress } = request;
  return {
    lastSeenAt: Date.now(),
    facts: {
      id: requestId,
      transport,
      access,
      caller,
      toolset,
      sessionId: id,
      ...(anonymousOwner !== undefined && { anonymousOwner }),
      ...(remoteAddress !== undefined && { remoteAddress }),
    },
  };
}

/** Most requests of a session differ only in time. */
function isSame(known: Seen['facts'], { caller, toolset, remoteAddress }: InboundRequest): boolean {
  return known.caller === caller && known.toolset === toolset && known.remoteAddress === remoteAddress;
}

const MAX_CHARS = 200;

/** The name of its program, as a client sent it. */
export function programOf(clientInfo: unknown): string | undefined {
  return nameIn(clientInfo)?.name;
}

function nameIn(clientInfo: unknown): ClientName {
  if (!isObject(clientInfo)) return undefined;
  const { name, version } = clientInfo;
  if (typeof name !== 'string') return undefined;
  const own = typeof version === 'string' ? version : '';
  return { name: name.slice(0, MAX_CHARS), version: own.slice(0, MAX_CHARS) };
}
