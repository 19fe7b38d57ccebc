import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { InboundRequest } from 'pegboard';
import type { AuthRules, GuardedServer, CallerCredentials } from '../contract.ts';
import type { CallerSecrets } from './callerSecrets.ts';
import { Credential } from './credential.ts';
import type { CredentialSource } from './credentialSource.ts';
import { GrantSource } from './grantSource.ts';
import type { GrantSourceParts } from './grantSource.ts';
import { holderOf, personOf } from './holderOf.ts';
import { SecretSource } from './secretSource.ts';
import { signInKindOf } from './signInKindOf.ts';

const MAX_OWNERS = 10_000;

export interface CredentialsParts extends GrantSourceParts {
  readonly secrets: CallerSecrets;
  readonly servers: () => readonly GuardedServer[];
}
interface Made {
  readonly auth: AuthRules;
  /** As its definition is now. */
  server: GuardedServer;
  readonly credential: Credential;
}

/** The credentials of all callers: one object for each owner and server. */
export class Credentials implements CallerCredentials {
  readonly #parts: CredentialsParts;
  readonly #byOwner = new LRUCache<string, Map<string, Made>>({ max: MAX_OWNERS });

  constructor(parts: CredentialsParts) {
    this.#parts = parts;
  }

  canSignIn(server: GuardedServer): boolean {
    return server.auth.type === undefined && signInKindOf(server) === 'grant';
  }

  of(server: GuardedServer, request: InboundRequest): Credential {
    const { name, auth } = server;
    const { owner } = holderOf(auth, request);
    const ofOwner = this.#ofOwner(owner);
    const made = ofOwner.get(name);
    if (made !== undefined && (made.auth === auth || isDeepStrictEqual(made.auth, auth))) {
      made.server = server;
      return made.credential;
    }
    const current = (): GuardedServer => next.server;
    const credential = new Credential(owner, name, this.#sourcesFor(current, server, request));
    const next: Made = { auth, server, credential };
    ofOwner.set(name, next);
    return credential;
  }

  async usable(
    request: InboundRequest,
  ): Promise<readonly { readonly server: string; readonly credential: Credential }[]> {
    const wanting = this.#parts.servers().filter((server) => signInKindOf(server) !== 'none');
    const asked = wanting.map(async (server) => {
      const credential = this.of(server, request);
      return { server: server.name, credential, isUsable: await credential.isUsable() };
    });
    return (await Promise.all(asked))
      .filter(({ isUsable }) => isUsable)
      .map(({ server, credential }) => ({ server, credential }));
  }

  #ofOwner(owner: string): Map<string, Made> {
    const found = this.#byOwner.get(owner);
    if (found !== undefined) return found;
    const made = new Map<string, Made>();
    this.#byOwner.set(owner, made);
    return made;
  }

  #sourcesFor(
    current: () => GuardedServer,
    server: GuardedServer,
    request: InboundRequest,
  ): readonly CredentialSource[] {
    const { name, auth } = server;
    const { secrets } = this.#parts;
    const sources: CredentialSource[] = [];
    if (signInKindOf(server) === 'grant') {
      sources.push(new GrantSource(holderOf(auth, request).owner, current, this.#parts));
    }
    const { callerSecrets: names } = auth;
    if (names.length > 0) {
      const place = { owner: personOf(request).owner, server: name };
      sources.push(new SecretSource(place, { secrets, names, url: () => current().url }));
    }
    return sources;
  }
}
