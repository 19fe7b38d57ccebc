import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { callerKey } from 'pegboard';
import type { InboundRequest, JsonObject, KeyRing } from 'pegboard';
import type { Session } from '../contract.ts';
import type { EndedSessions } from './endedSessions.ts';
import { seal, unseal } from './handle.ts';

export interface SessionLimits {
  readonly sessionTtlSeconds: number;
  readonly openHandles: number;
}

/** Opens and ends sealed sessions. The cache only saves decryption; it holds nothing that cannot be opened again. */
export class Sessions {
  readonly #keys: KeyRing;
  readonly #ended: EndedSessions;
  readonly #opened: LRUCache<string, Session>;
  readonly #ttlMs: number;

  constructor(keys: KeyRing, ended: EndedSessions, { sessionTtlSeconds, openHandles }: SessionLimits) {
    this.#keys = keys;
    this.#ended = ended;
    this.#opened = new LRUCache({ max: openHandles });
    this.#ttlMs = sessionTtlSeconds * 1_000;
  }

  open(revision: string, capabilities: JsonObject, request: InboundRequest): Session {
    const facts = {
      id: randomUUID(),
      revision,
      subject: callerKey(request.caller),
      capabilities,
      createdAt: Date.now(),
    };
    return { ...facts, handle: seal(facts, this.#keys) };
  }

  /** @returns undefined if the handle is malformed, expired, ended, or another caller's */
  resume(handle: string, request: InboundRequest): Session | undefined {
    const session = this.#opened.get(handle) ?? unseal(handle, this.#keys);
    if (session === undefined || session.createdAt + this.#ttlMs <= Date.now() || this.#ended.has(session)) {
      return undefined;
    }
    this.#opened.set(handle, session);
    if (session.subject !== callerKey(request.caller)) return undefined;
    request.sessionId = session.id;
    return session;
  }

  /** Its handle no longer opens; resolves once that survives a restart. @throws GatewayError STORE_FORBIDDEN */
  end(session: Session): Promise<void> {
    this.#opened.delete(session.handle);
    return this.#ended.add(session);
  }
}
