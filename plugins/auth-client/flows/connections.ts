import { ANYONE } from 'pegboard';
import type { InboundRequest } from 'pegboard';
import { LRUCache } from 'lru-cache';
import type { GuardedServer, OwnOffer, CallerCredentials } from '../contract.ts';
import type { Asker } from './flowStore.ts';

const MAX_KNOWN = 10_000;

/** The connections that callers have asked for, so that they are told once what a server offers them. */
export class Connections {
  readonly #credentials: () => CallerCredentials | undefined;
  readonly #known = new LRUCache<string, true>({ max: MAX_KNOWN });

  constructor(credentials: () => CallerCredentials | undefined) {
    this.#credentials = credentials;
  }

  /** @returns undefined without a source of credentials @throws GatewayError UPSTREAM_* */
  async connect(
    server: GuardedServer,
    request: InboundRequest,
  ): Promise<{ readonly offer: OwnOffer; readonly isNew: boolean } | undefined> {
    const credential = this.#credentials()?.of(server, request);
    if (credential === undefined) return undefined;
    const offer = await server.connect(credential);
    const key = `${credential.owner}:${server.name}`;
    const isNew = !this.#known.has(key);
    this.#known.set(key, true);
    return { offer, isNew };
  }

  /** The tools of that server are no longer listed for the caller. */
  async disconnect(server: GuardedServer, request: InboundRequest): Promise<void> {
    const credential = this.#credentials()?.of(server, request);
    if (credential === undefined) return;
    this.#known.delete(`${credential.owner}:${server.name}`);
    await server.disconnect(credential.owner, true);
  }
}

/** A request as its asker would make it: for what happens after it, on its behalf. */
export function requestOf({ subject, issuer, session }: Asker): InboundRequest {
  if (subject === undefined) return { ...ANYONE };
  const claims = session === undefined ? {} : { claims: { sid: session } };
  return { ...ANYONE, caller: { subject, ...(issuer !== undefined && { issuer }), ...claims } };
}
