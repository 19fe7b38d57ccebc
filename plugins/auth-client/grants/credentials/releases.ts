import { ANYONE, isGatewayError } from 'pegboard';
import type {
  GrantRelease,
  GrantedPerson,
  GuardedServer,
  ReleasedGrant,
} from '../../../contracts/credentials.ts';
import type { Credentials } from './credentials.ts';
import type { Grants } from '../store/grants.ts';
import { holderOf } from '../record/holderOf.ts';

/** Gives out persons' own grants, refreshed like those of calls. Source: requirement broker.grantRelease */
export class Releases implements GrantRelease {
  readonly #grants: Grants;
  readonly #credentials: Credentials;
  readonly #servers: () => readonly GuardedServer[];

  constructor(grants: Grants, credentials: Credentials, servers: () => readonly GuardedServer[]) {
    this.#grants = grants;
    this.#credentials = credentials;
    this.#servers = servers;
  }

  async release(person: GrantedPerson, grantIssuer: string): Promise<ReleasedGrant | undefined> {
    const request = { ...ANYONE, caller: { ...person } };
    const isMeant = ({ auth }: GuardedServer): boolean =>
      auth.isFar !== true &&
      auth.grantScope === 'subject' &&
      auth.authorizationServer?.issuer === grantIssuer;
    for (const server of this.#servers().filter(isMeant)) {
      const released = await this.#releasedOf(server, request);
      if (released !== undefined) return released;
    }
    return undefined;
  }

  async #releasedOf(
    server: GuardedServer,
    request: Parameters<typeof holderOf>[1],
  ): Promise<ReleasedGrant | undefined> {
    try {
      await this.#credentials.of(server, request).prepare();
    } catch (error) {
      if (isGatewayError(error) && error.code === 'UPSTREAM_AUTH_REQUIRED') return undefined;
      throw error;
    }
    const { grant } = this.#grants.cell(holderOf(server.auth, request).owner, server.name).record ?? {};
    if (grant === undefined) return undefined;
    const { accessToken, expiresAt, scope } = grant;
    return {
      accessToken,
      ...(expiresAt !== undefined && { expiresIn: Math.floor((expiresAt - Date.now()) / 1_000) }),
      ...(scope !== undefined && { scope }),
    };
  }
}
