import type { Call, InboundRequest } from 'pegboard';
import type { GuardedServer, OwnOffer } from '../../contracts/credentials.ts';
import { askSecrets, missingSecrets } from '../flows/askSecrets.ts';
import { beginSignIn } from '../flows/beginSignIn.ts';
import type { SignInLink } from '../flows/beginSignIn.ts';
import type { SignInFlows } from '../flows/provideFlows.ts';
import { holderOf, personHolder } from '../grants/record/holderOf.ts';
import { signInKindOf } from '../grants/record/signInKindOf.ts';
import { revokeGrant } from '../flows/revokeGrant.ts';

const TIMEOUT_MS = 30_000;

/** Sign-ins of callers at servers, for the tools. */
export class OwnSignIn {
  readonly #flows: SignInFlows;
  readonly #signal: AbortSignal;

  /** @param signal ends its requests */
  constructor(flows: SignInFlows, signal: AbortSignal) {
    this.#flows = flows;
    this.#signal = signal;
  }

  /** Connects with what the caller has. @returns undefined if a person has to sign in, for the first time or for more scopes
   *  @throws GatewayError UPSTREAM_*; UPSTREAM_AUTH_REQUIRED if what there is cannot be used any more */
  async connect(
    server: GuardedServer,
    request: InboundRequest,
  ): Promise<{ readonly offer: OwnOffer; readonly isNew: boolean } | undefined> {
    const { begin } = this.#flows;
    if ((await missingSecrets(server, request, begin)).length > 0) return undefined;
    if (signInKindOf(server) === 'grant') {
      const { owner } = holderOf(server.auth, request);
      const { grant, missingScopes } = (await begin.grants.find(owner, server.name)) ?? {};
      if (grant === undefined || missingScopes !== undefined) return undefined;
    }
    return this.#flows.connections.connect(server, request);
  }

  /** @returns the link that begins a sign-in, or leads to a page for secrets @throws SignInFault; GatewayError STORE_UNREACHABLE; the reason of the cancellation */
  async link(
    server: GuardedServer,
    { request, cancel }: Pick<Call, 'request' | 'cancel'>,
  ): Promise<SignInLink> {
    const ended = new AbortController();
    const release = cancel.onCancel((reason) => ended.abort(new Error(reason)));
    try {
      const signal = AbortSignal.any([this.#signal, ended.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const { begin } = this.#flows;
      const page = await askSecrets(server, request, begin);
      return page === undefined
        ? await beginSignIn(server, request, { parts: begin, signal })
        : { url: page };
    } finally {
      release();
    }
  }

  /** Discards what the caller has at that server, revokes it there if that works, and ends the connection.
   *  @throws GatewayError STORE_UNREACHABLE */
  async discard(server: GuardedServer, request: InboundRequest): Promise<void> {
    const { grants, secrets, networks } = this.#flows.begin;
    const { owner } = holderOf(server.auth, request);
    const dropped = await grants.drop(owner, server.name);
    await secrets.drop({ owner: personHolder(request).owner, server: server.name });
    await this.#flows.connections.disconnect(server, request);
    if (dropped?.grant !== undefined) await revokeGrant(dropped.grant, networks);
  }
}
