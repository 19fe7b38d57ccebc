import type { InboundRequest } from 'pegboard';
import type { GuardedServer } from '../../../contracts/credentials.ts';
import type { SignInStatus, SignInStatuses } from '../../../contracts/signIns.ts';
import type { CallerSecrets } from '../store/callerSecrets.ts';
import type { Credentials } from './credentials.ts';
import { grantFacts } from '../record/grantFacts.ts';
import type { Grants } from '../store/grants.ts';
import { holderOf } from '../record/holderOf.ts';
import { grantPlaceOf } from '../record/grantPlaceOf.ts';
import { lackIn } from '../record/personNeeded.ts';
import { signInKindOf } from '../record/signInKindOf.ts';

const AUTH_TOOL = 'core_auth_login';

/** What callers are told about their sign-ins. Source: requirement resource.auth */
export class Statuses implements SignInStatuses {
  readonly #grants: Grants;
  readonly #secrets: CallerSecrets;
  readonly #credentials: Credentials;
  readonly #server: (name: string) => GuardedServer | undefined;

  constructor(
    grants: Grants,
    secrets: CallerSecrets,
    credentials: Credentials,
    server: (name: string) => GuardedServer | undefined,
  ) {
    this.#grants = grants;
    this.#secrets = secrets;
    this.#credentials = credentials;
    this.#server = server;
  }

  async of(name: string, request: InboundRequest): Promise<SignInStatus | undefined> {
    const server = this.#server(name);
    if (server === undefined || !wantsSignIn(server)) return undefined;
    const kind = signInKindOf(server);
    const credential = this.#credentials.of(server, request);
    const grant = kind === 'grant' ? { grant: await this.#grantOf(server, request) } : {};
    const ways = {
      ...(kind === 'forward' && { isForwarding: true }),
      ...(kind === 'exchange' && { isExchanging: true }),
    };
    if (server.isSuspended) return { status: 'disconnected', ...grant, ...ways };
    // It may find out that single sign-on fails.
    const isUsable = credential.progress === undefined && (await credential.isUsable());
    if (credential.progress === 'pending') return { status: 'sso_pending', ...ways };
    // Until an attempt has succeeded, which the next call makes.
    if (credential.progress === 'failed')
      return {
        status: 'reauth_required',
        authTool: AUTH_TOOL,
        hasFailed: true,
        fault: credential.fault.message,
        ...ways,
      };
    if (isUsable) return { status: 'connected', ...grant, ...ways };
    // Only a sign-in at this gateway would help.
    if (kind === 'forward' || kind === 'exchange') return { status: 'disconnected', ...ways };
    const lack = kind === 'secrets' ? credential.missing : undefined;
    const fault = lack === undefined ? {} : { fault: lackIn(lack, name) };
    return { status: 'auth_required', authTool: AUTH_TOOL, ...grant, ...ways, ...fault };
  }

  follow(changed: (server: string) => void): () => void {
    const ends = [
      this.#grants.follow(({ server }) => changed(server)),
      this.#secrets.follow(changed),
      this.#credentials.followSingleSignOn(changed),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  async #grantOf(
    server: GuardedServer,
    request: InboundRequest,
  ): Promise<NonNullable<SignInStatus['grant']>> {
    const { name, auth } = server;
    const record = await this.#grants.current(this.#grants.cell(holderOf(auth, request).owner, name));
    const { issuer, scopes } = auth.authorizationServer ?? {};
    return {
      ...(issuer !== undefined && { issuer }),
      ...(scopes !== undefined && { scope: scopes }),
      ...grantFacts(record, grantPlaceOf(server), Date.now()),
    };
  }
}

/** A server without `auth` wants one once it has asked for it. */
function wantsSignIn(server: GuardedServer): boolean {
  const { auth, isPersonal, challenges } = server;
  const kind = signInKindOf(server);
  if (kind === 'none') return false;
  if (kind !== 'grant' || auth.type === 'oauth') return true;
  return isPersonal || challenges.length > 0;
}
