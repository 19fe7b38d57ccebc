import { randomUUID } from 'node:crypto';
import type { LRUCache } from 'lru-cache';
import type { InboundRequest, JsonObject } from 'pegboard';
import { callerKey } from '../../kit/authority/ownerOf.ts';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import type { KeyRing } from '../../contracts/vault.ts';
import type { Session } from '../../contracts/sessions.ts';
import type { EndedSessions } from './endedSessions.ts';
import { sealSession, unseal } from './handle.ts';
import { programOf } from './seenSessions.ts';

/** The longest name of a client's program: the handle that holds it is sent with every request. */
const MAX_PROGRAM_CHARS = 40;

interface Opened {
  readonly session: Session;
  readonly transport: string;
}
export interface SessionLimits {
  readonly sessionTtlSeconds: number;
  readonly openHandles: number;
}

/** Opens and ends sealed sessions. The cache only saves decryption; it holds nothing that cannot be opened again. */
export class Sessions {
  readonly #keys: KeyRing;
  readonly #ended: EndedSessions;
  readonly #opened: LRUCache<string, Opened>;
  readonly #ttlMs: number;

  constructor(keys: KeyRing, ended: EndedSessions, { sessionTtlSeconds, openHandles }: SessionLimits) {
    this.#keys = keys;
    this.#ended = ended;
    this.#opened = recentlyUsed(openHandles);
    this.#ttlMs = sessionTtlSeconds * 1_000;
  }

  /** @param clientInfo as the client sent it */
  open(revision: string, capabilities: JsonObject, request: InboundRequest, clientInfo: unknown): Session {
    const program = programOf(clientInfo);
    const facts = {
      id: randomUUID(),
      revision,
      subject: callerKey(request.caller),
      capabilities,
      createdAt: Date.now(),
      ...(program !== undefined && { program: program.slice(0, MAX_PROGRAM_CHARS) }),
    };
    return { ...facts, handle: sealSession(facts, this.#keys) };
  }

  /** @returns undefined if the handle is malformed, expired, ended, or another caller's */
  resume(handle: string, request: InboundRequest): Session | undefined {
    const known = this.#opened.get(handle);
    const session = known?.session ?? unseal(handle, this.#keys);
    if (session === undefined || !this.#isOpen(session)) return undefined;
    if (known === undefined) this.#opened.set(handle, { session, transport: request.transport });
    if (session.subject !== callerKey(request.caller)) return undefined;
    request.sessionId = session.id;
    return session;
  }

  /** Those that were used here and have not ended; the longest unused ones of very many are left out. */
  *used(): Iterable<{ readonly transport: string; readonly revision: string }> {
    for (const { session, transport } of this.#opened.values())
      if (this.#isOpen(session)) yield { transport, revision: session.revision };
  }

  /** The session has ended with its transport. */
  forget({ handle }: Pick<Session, 'handle'>): void {
    this.#opened.delete(handle);
  }

  #isOpen(session: Session): boolean {
    return session.createdAt + this.#ttlMs > Date.now() && !this.#ended.has(session);
  }

  /** Its handle no longer opens; resolves once that survives a restart. @throws GatewayError STORE_FORBIDDEN */
  end(session: Session): Promise<void> {
    this.#opened.delete(session.handle);
    return this.#ended.add(session);
  }
}
