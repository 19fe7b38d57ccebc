import type { Call, InboundRequest } from 'pegboard';
import type { GuardedServer, OwnOffer } from '../contract.ts';
import { beginSignIn } from '../flows/beginSignIn.ts';
import type { Flows } from '../flows/provideFlows.ts';
import { holderOf } from '../grants/holderOf.ts';
import { revoke } from '../flows/revoke.ts';

const TIMEOUT_MS = 30_000;

/** Sign-ins of callers at servers, for the tools. */
export class OwnSignIn {
  readonly #flows: Flows;
  readonly #signal: AbortSignal;

  /** @param signal ends its requests */
  constructor(flows: Flows, signal: AbortSignal) {
    this.#flows = flows;
    this.#signal = signal;
  }

  /** Connects with what the caller has. @returns undefined if a person has to sign in, for the first time or for more scopes
   *  @throws GatewayError UPSTREAM_*; UPSTREAM_AUTH_REQUIRED if what there is cannot be used any more */
  async connect(
    server: GuardedServer,
    request: InboundRequest,
  ): Promise<{ readonly offer: OwnOffer; readonly isNew: boolean } | undefined> {
    const { grants } = this.#flows.begin;
    const { owner } = holderOf(server.auth, request);
    const { grant, missingScopes } = (await grants.find(owner, server.name)) ?? {};
    if (missingScopes !== undefined) return undefined;
    if (grant === undefined && server.auth.callerSecrets.length === 0) return undefined;
    return this.#flows.connections.connect(server, request);
  }

  /** @returns the link that begins a sign-in @throws SignInFault; GatewayError STORE_UNREACHABLE; the reason of the cancellation */
  async link(server: GuardedServer, { request, cancel }: Call): Promise<string> {
    const ended = new AbortController();
    const release = cancel.onCancel((reason) => ended.abort(new Error(reason)));
    try {
      const signal = AbortSignal.any([this.#signal, ended.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      return await beginSignIn(server, request, { parts: this.#flows.begin, signal });
    } finally {
      release();
    }
  }

  /** Discards what the caller has at that server, revokes it there if that works, and ends the connection.
   *  @throws GatewayError STORE_UNREACHABLE */
  async discard(server: GuardedServer, request: InboundRequest): Promise<void> {
    const { grants, network } = this.#flows.begin;
    const { owner } = holderOf(server.auth, request);
    const dropped = await grants.drop(owner, server.name);
    await this.#flows.connections.disconnect(server, request);
    if (dropped?.grant !== undefined) await revoke(dropped.grant, { network, signal: this.#signal });
  }
}
