import { isDeepStrictEqual } from 'node:util';
import { ANYONE } from 'pegboard';
import type { Caller, InboundRequest } from 'pegboard';
import type { TokenHolder } from '../../../contracts/oauth.ts';
import { isSingleSignOn } from '../../../kit/oauth/authRules.ts';
import { recentlyUsed } from '../../../kit/limits/recentlyUsed.ts';
import type { AuthRules, CallerCredentials, GuardedServer } from '../../../contracts/credentials.ts';
import type { CallerSecrets } from '../store/callerSecrets.ts';
import { Credential } from './credential.ts';
import type { CredentialSource } from '../sources/credentialSource.ts';
import { GrantSource } from '../sources/grantSource.ts';
import type { GrantSourceParts } from '../sources/grantSource.ts';
import { holderOf, personHolder, sessionPrefix } from '../record/holderOf.ts';
import { CallerSecretSource } from '../sources/callerSecretSource.ts';
import { SingleSignOnSource } from '../sources/singleSignOnSource.ts';
import type { SingleSignOnParts, SingleSignOnSourceParts } from '../sources/singleSignOnSource.ts';
import { signInKindOf } from '../record/signInKindOf.ts';

const MAX_OWNERS = 10_000;

export interface CredentialsParts extends GrantSourceParts {
  readonly secrets: CallerSecrets;
  readonly forwarding: SingleSignOnParts;
  readonly exchanging: SingleSignOnParts;
  readonly servers: () => readonly GuardedServer[];
}
interface Made {
  readonly auth: AuthRules;
  readonly newest: Newest;
  readonly credential: Credential;
}
/** What the last question was about: a definition may lead elsewhere since, and a request may bring a newer token. */
interface Newest {
  server: GuardedServer;
  holder: TokenHolder;
}

/** The credentials of all callers: one object for each owner and server. */
export class Credentials implements CallerCredentials {
  readonly #parts: CredentialsParts;
  readonly #byOwner = recentlyUsed<Map<string, Made>>(MAX_OWNERS);
  /** Each request asks several times about each server. */
  readonly #owners = new WeakMap<Caller, Map<AuthRules['grantScope'], string>>();

  readonly #forwarding: SingleSignOnSourceParts;
  readonly #exchanging: SingleSignOnSourceParts;
  readonly #singleSignOnFollowers = new Set<(server: string) => void>();

  constructor(parts: CredentialsParts) {
    this.#parts = parts;
    const changed = (server: string): void => {
      for (const follower of this.#singleSignOnFollowers) follower(server);
    };
    this.#forwarding = { ...parts.forwarding, changed };
    this.#exchanging = { ...parts.exchanging, changed };
  }

  canSignIn(server: GuardedServer): boolean {
    return server.auth.type === undefined && signInKindOf(server) === 'grant';
  }

  of(server: GuardedServer, request: InboundRequest): Credential {
    const { name, auth } = server;
    const owner = this.#ownerOf(auth, request);
    const ofOwner = this.#ofOwner(owner);
    const made = ofOwner.get(name);
    if (made !== undefined && (made.auth === auth || isDeepStrictEqual(made.auth, auth))) {
      Object.assign(made.newest, newestOf(server, request));
      return made.credential;
    }
    const newest = newestOf(server, request);
    const credential = new Credential(owner, name, this.#sourcesFor(newest, request));
    const next: Made = { auth, newest, credential };
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

  follow(changed: (owner: string | undefined) => void): () => void {
    const { grants, secrets } = this.#parts;
    const ends = [grants.followOthers(changed), secrets.follow(() => changed(undefined))];
    return () => {
      for (const end of ends) end();
    };
  }

  /** Calls `changed` when single sign-on fails for a caller, or works again. @returns the function that ends this */
  followSingleSignOn(changed: (server: string) => void): () => void {
    this.#singleSignOnFollowers.add(changed);
    return () => void this.#singleSignOnFollowers.delete(changed);
  }

  /** Ends the connections of a sign-in session that has ended, and forgets what servers have listed for it. */
  async forgetSession(sid: string): Promise<void> {
    const prefix = sessionPrefix(sid);
    const ended = [...this.#byOwner.keys()].filter((owner) => owner.startsWith(prefix));
    for (const owner of ended) this.#byOwner.delete(owner);
    const servers = this.#parts.servers();
    await Promise.all(ended.flatMap((owner) => servers.map((server) => server.disconnect(owner, true))));
  }

  /** What callers have signed in for, or entered, was discarded: the connections with it end, and what was listed on them is
   *  forgotten. */
  async endOwn(): Promise<void> {
    const own = this.#parts
      .servers()
      .filter(({ auth }) => !isSingleSignOn(auth) || auth.callerSecrets.length > 0);
    const pairs = [...this.#byOwner].flatMap(([owner, made]) =>
      own.filter(({ name }) => made.has(name)).map((server) => ({ owner, server })),
    );
    await Promise.all(pairs.map(({ owner, server }) => server.disconnect(owner, true)));
  }

  /** Forgets all owners' credentials for a server whose definition was removed. What they are made of stays in the vault. */
  forgetServer(server: string): void {
    for (const [owner, made] of [...this.#byOwner.entries()])
      if (made.delete(server) && made.size === 0) this.#byOwner.delete(owner);
  }

  #ownerOf(auth: AuthRules, request: InboundRequest): string {
    const { caller } = request;
    if (caller === undefined) return holderOf(auth, request).owner;
    const known = this.#owners.get(caller) ?? new Map<AuthRules['grantScope'], string>();
    const owner = known.get(auth.grantScope) ?? holderOf(auth, request).owner;
    this.#owners.set(caller, known.set(auth.grantScope, owner));
    return owner;
  }
  #ofOwner(owner: string): Map<string, Made> {
    const found = this.#byOwner.get(owner);
    if (found !== undefined) return found;
    const made = new Map<string, Made>();
    this.#byOwner.set(owner, made);
    return made;
  }

  #sourcesFor(newest: Newest, request: InboundRequest): readonly CredentialSource[] {
    const { secrets } = this.#parts;
    const { name, auth } = newest.server;
    const server = (): GuardedServer => newest.server;
    const holder = (): TokenHolder => newest.holder;
    const sources: CredentialSource[] = [];
    const kind = signInKindOf(newest.server);
    const { owner } = holderOf(auth, request);
    if (kind === 'grant') sources.push(new GrantSource(owner, server, this.#parts));
    if (kind === 'forward') sources.push(new SingleSignOnSource(server, holder, this.#forwarding));
    if (kind === 'exchange') sources.push(new SingleSignOnSource(server, holder, this.#exchanging));
    const { callerSecrets: names } = auth;
    if (names.length > 0) {
      const place = { owner: personHolder(request).owner, server: name };
      sources.push(new CallerSecretSource(place, secrets, names, () => newest.server.url));
    }
    return sources;
  }
}

/** Requests are kept for single sign-on only: they hold on to their connection. */
function newestOf(server: GuardedServer, request: InboundRequest): Newest {
  return { server, holder: isSingleSignOn(server.auth) ? request : ANYONE };
}
