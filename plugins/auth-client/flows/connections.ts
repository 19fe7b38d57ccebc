import { ANYONE, isGatewayError } from 'pegboard';
import type { InboundRequest, Log } from 'pegboard';
import type {
  CallerCredentials,
  GuardedServer,
  GuardedServers,
  OwnOffer,
} from '../../contracts/credentials.ts';
import { lackIn } from '../grants/record/personNeeded.ts';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import type { LinkAsker } from './flowStore.ts';

const MAX_KNOWN = 10_000;

/** Why a server cannot be used, for a person. */
export interface ServerFault {
  readonly words: string;
  /** Whether it refuses what the person has given. */
  readonly isRefused: boolean;
}

/** The connections that callers have asked for, so that they are told once what a server offers them. */
export class Connections {
  readonly #credentials: () => CallerCredentials | undefined;
  readonly #servers: () => GuardedServers | undefined;
  readonly #log: Log;
  readonly #known = recentlyUsed<true>(MAX_KNOWN);

  constructor(
    credentials: () => CallerCredentials | undefined,
    servers: () => GuardedServers | undefined,
    log: Log,
  ) {
    this.#credentials = credentials;
    this.#servers = servers;
    this.#log = log;
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

  /** Connects for the asker of a link. @returns why the server cannot be used yet; undefined if it can, or is suspended */
  async connectFor({
    server: name,
    asker,
  }: {
    readonly server: string;
    readonly asker: LinkAsker;
  }): Promise<ServerFault | undefined> {
    const server = this.#servers()?.get(name);
    if (server === undefined || server.isSuspended) return undefined;
    try {
      await this.connect(server, requestOf(asker));
      return undefined;
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      this.#log.warn('a server cannot be used after a sign-in', {
        server: name,
        reason: error.message,
      });
      return { words: lackIn(error, name), isRefused: error.code === 'UPSTREAM_AUTH_REQUIRED' };
    }
  }

  /** The tools of that server are no longer listed for the caller. */
  async disconnect(server: GuardedServer, request: InboundRequest): Promise<void> {
    const credential = this.#credentials()?.of(server, request);
    if (credential !== undefined) await this.end(credential.owner, server.name);
  }
  /** As `disconnect`, for the owner of a credential. */
  async end(owner: string, server: string): Promise<void> {
    this.#known.delete(`${owner}:${server}`);
    await this.#servers()?.get(server)?.disconnect(owner, true);
  }
}

/** A request as its asker would make it: for what happens after it, on its behalf. */
export function requestOf({ subject, issuer, session }: LinkAsker): InboundRequest {
  if (subject === undefined) return { ...ANYONE };
  const claims = session === undefined ? {} : { claims: { sid: session } };
  return { ...ANYONE, caller: { subject, ...(issuer !== undefined && { issuer }), ...claims } };
}
