import { GatewayError, RequestGate, isReply, messageOf } from 'pegboard';
import type { Caller, InboundRequest, RequestFacts, Scope } from 'pegboard';
import { digest } from '../kit/secrets/secrets.ts';
import { callerKey } from '../kit/authority/ownerOf.ts';
import { ADMIN } from '../kit/authority/adminPages.ts';
import { AuthorizationServer } from '../contracts/oauth.ts';
import { Vault } from '../contracts/vault.ts';

const PREFIX = 'writer:';

/** People who have written a definition, each as seen last: by a request of any session, in any process that shares the vault. */
export class People {
  readonly #scope: Scope<unknown>;
  /** The key is callerKey(), which costs a request less than a digest. Undefined: asked for, and not seen yet. */
  readonly #known = new Map<string, Caller | undefined>();
  /** Who makes a request of the gateway's own. */
  readonly #callers = new WeakMap<object, Caller>();

  constructor(scope: Scope<unknown>) {
    this.#scope = scope;
  }

  /** Reads those who are known to the vault. */
  async load(): Promise<void> {
    const vault = this.#vault;
    for (const key of (await vault?.list(PREFIX)) ?? []) {
      const caller = (await vault?.get(key)) as Caller | undefined;
      if (caller !== undefined) this.#known.set(callerKey(caller), caller);
    }
  }

  /** Follows what the caller may do from now on. */
  async remember(caller: Caller): Promise<undefined> {
    const key = callerKey(caller);
    const before = this.#known.get(key);
    // Another issuer of tokens chooses its own claims: it does not speak for whom this gateway has signed in.
    if (before !== undefined && this.#isOwn(before) && !this.#isOwn(caller)) return;
    this.#known.set(key, caller);
    await this.#vault?.set(storedAs(key), caller);
  }

  /** Takes the caller as the vault of all processes has it. */
  async lastSeen(person: Pick<Caller, 'issuer' | 'subject'>): Promise<Caller | undefined> {
    const key = callerKey(person);
    const stored = (await this.#vault?.get(storedAs(key))) as Caller | undefined;
    if (!this.#known.has(key)) this.#known.set(key, stored);
    return stored ?? this.#known.get(key);
  }

  /** A tap: keeps what has changed since a writer was seen last. */
  seen({ caller }: InboundRequest): Promise<undefined> | undefined {
    if (caller === undefined || this.#known.size === 0) return undefined;
    const key = callerKey(caller);
    const known = this.#known.get(key);
    if (!this.#known.has(key) || (known !== undefined && rightsIn(known) === rightsIn(caller)))
      return undefined;
    return this.remember(caller).catch((error: unknown) => {
      this.#scope.log.warn('what a writer of workflows may do is not stored', { reason: messageOf(error) });
      return undefined;
    });
  }

  /** A request as the person would make one now. @throws GatewayError REQUEST_FORBIDDEN if a plugin refuses all of them */
  async requestOf(caller: Caller): Promise<InboundRequest> {
    // As the admin pages ask on behalf of people: that connects no server as them.
    const facts: RequestFacts = { transport: ADMIN, access: 'caller', header: () => undefined };
    this.#callers.set(facts, caller);
    const request = await this.#scope.get(RequestGate).open(facts);
    if (!isReply(request)) return request;
    throw new GatewayError('REQUEST_FORBIDDEN', `their requests are refused with status ${request.status}`);
  }

  /** A tap at STAGE.identify. */
  identify(request: InboundRequest): undefined {
    const caller = this.#callers.get(request);
    if (caller !== undefined) request.caller = caller;
    return undefined;
  }

  #isOwn(caller: Caller): boolean {
    return this.#scope.all(AuthorizationServer).every((server) => server.isOwnSignIn(caller));
  }

  get #vault(): Vault | undefined {
    return this.#scope.find(Vault);
  }
}

/** The caller without the id of the sign-in, which tells nothing of rights. */
function rightsIn({ claims }: Caller): string {
  return JSON.stringify({ ...claims, sid: undefined });
}

/** The vault's key, which is bounded whatever the issuer chooses as subject. @param key of callerKey() */
function storedAs(key: string): string {
  return PREFIX + digest(key);
}
