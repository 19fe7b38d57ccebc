import { isGatewayError, messageOf, waitAtMost } from 'pegboard';
import type { InboundRequest } from 'pegboard';
import { setNewest } from '../../kit/limits/setNewest.ts';
import type { CallerCredential } from '../../contracts/credentials.ts';
import type { UpstreamContext } from '../connection/context.ts';
import type { Personal } from './personal.ts';

/** How long the first request of an owner waits for the owner's servers. Source: requirement signIn.resumed */
const MAX_WAIT_MS = 15_000;
const MAX_OWNERS = 20_000;

type Reached = Pick<
  Personal,
  'name' | 'isSuspended' | 'credentialOf' | 'isCurrent' | 'recallFor' | 'connect'
>;
/** A server, and what a caller reaches it with. */
interface Own {
  readonly personal: Reached;
  readonly credential: CallerCredential;
}
/** Connects the servers that a caller can use without a click: when the caller signs in at this gateway, and before the caller's
 *  first request continues, after a restart too. Where single sign-on or a refresh has failed, the caller's first request after the
 *  pause of that failure tries again, and does not wait. */
export class CallersServers {
  readonly #context: Pick<UpstreamContext, 'log' | 'credentials'>;
  readonly #personal: () => Iterable<Reached>;
  readonly #listed: (request: InboundRequest) => void;
  /** Connection attempts by a text of servers and owners; `done`: the servers are connected, or took too long. */
  readonly #known = new Map<string, Promise<void> | 'done'>();

  /** How often what an owner can use has grown: a part of what is known. */
  readonly #changes = new Map<string, number>();
  /** One attempt at a time, by owner and server. */
  readonly #connecting = new Map<string, Promise<void>>();

  /** @param personal all servers, as callers reach them with credentials of their own
   *  @param listed called when the lists of the request's owner are known, or were not reached in time */
  constructor(
    context: Pick<UpstreamContext, 'log' | 'credentials'>,
    personal: () => Iterable<Reached>,
    listed: (request: InboundRequest) => void,
  ) {
    this.#context = context;
    this.#personal = personal;
    this.#listed = listed;
  }

  /** @returns undefined if nothing is to be waited for. Never rejects */
  prepare(request: InboundRequest): Promise<undefined> | undefined {
    if (request.access === 'public') return undefined;
    const all = this.#allOf(request);
    if (all.length === 0) return undefined;
    const owners = this.#ownersIn(all);
    const known = this.#known.get(owners) ?? this.#begin(owners, request);
    if (known !== 'done') return known.then(() => this.#prepared(request));
    this.#retry(all);
    this.#prepared(request);
  }

  /** An owner has more to use than before. @param owner undefined: any */
  forget(owner: string | undefined): void {
    if (owner === undefined) this.#known.clear();
    else setNewest(this.#changes, [owner, (this.#changes.get(owner) ?? 0) + 1], MAX_OWNERS);
  }

  /** A server has another definition. Callers without it wait for no server again. */
  redefined(server: string): void {
    const text = JSON.stringify(server);
    for (const owners of this.#known.keys()) if (owners.includes(text)) this.#known.delete(owners);
  }

  #prepared(request: InboundRequest): undefined {
    this.#listed(request);
    return undefined;
  }

  #allOf(request: InboundRequest): readonly Own[] {
    const all: Own[] = [];
    for (const personal of this.#personal()) {
      const credential = personal.credentialOf(request);
      if (credential !== undefined) all.push({ personal, credential });
    }
    return all;
  }
  #ownersIn(all: readonly Own[]): string {
    const changesOf = (owner: string): string => String(this.#changes.get(owner) ?? '');
    return JSON.stringify(
      all.flatMap(({ personal, credential: { owner } }) => [personal.name, owner, changesOf(owner)]),
    );
  }

  #begin(owners: string, request: InboundRequest): Promise<void> {
    const connecting = this.#connect(request).catch((error: unknown) => {
      this.#known.delete(owners);
      this.#unread(error);
    });
    const begun = waitAtMost(MAX_WAIT_MS, connecting).then(() => {
      if (this.#known.get(owners) === begun) setNewest(this.#known, [owners, 'done'], MAX_OWNERS);
    });
    this.#known.set(owners, begun);
    return begun;
  }

  /** Connects them in parallel. @throws GatewayError STORE_UNREACHABLE */
  async #connect(request: InboundRequest): Promise<void> {
    await Promise.all([...this.#personal()].map((personal) => personal.recallFor(request)));
    const usable = (await this.#context.credentials()?.usable(request)) ?? [];
    const byName = new Map([...this.#personal()].map((personal) => [personal.name, personal]));
    const connecting = usable.map(async ({ server, credential }) => {
      const personal = byName.get(server);
      if (personal !== undefined) await this.#connectOne({ personal, credential });
    });
    await Promise.allSettled(connecting);
    await Promise.all(connecting);
  }

  #retry(all: readonly Own[]): void {
    for (const own of all) {
      const { retryAt = Infinity } = own.credential;
      // The vault has no pause: the next request tries again.
      if (retryAt <= Date.now()) this.#connectOne(own).catch((error: unknown) => this.#unread(error));
    }
  }

  /** @throws GatewayError STORE_UNREACHABLE */
  #connectOne(own: Own): Promise<void> {
    const { personal, credential } = own;
    const { owner } = credential;
    if (personal.isSuspended || personal.isCurrent(owner)) return Promise.resolve();
    const id = `${owner} ${personal.name}`;
    const running = this.#connecting.get(id);
    if (running !== undefined) return running;
    const connecting = this.#attempt(own).finally(() => this.#connecting.delete(id));
    this.#connecting.set(id, connecting);
    return connecting;
  }
  async #attempt({ personal, credential }: Own): Promise<void> {
    try {
      await personal.connect(credential);
    } catch (error) {
      if (isGatewayError(error) && error.code === 'STORE_UNREACHABLE') throw error;
      this.#context.log.info('a server of a caller could not be connected', {
        server: personal.name,
        error: messageOf(error),
      });
    }
  }
  #unread(error: unknown): void {
    this.#context.log.warn('the sign-ins of a caller could not be read', { error: messageOf(error) });
  }
}
