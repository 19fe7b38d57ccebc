import { messageOf, setNewest, waitAtMost } from 'pegboard';
import type { InboundRequest, Log } from 'pegboard';
import type { CallerCredentials } from '../../auth-client/contract.ts';
import type { Personal } from './personal.ts';

/** How long the first request of an owner waits for the owner's servers. Source: requirement signIn.resumed */
const MAX_WAIT_MS = 15_000;
const MAX_OWNERS = 20_000;

type Reached = Pick<
  Personal,
  'name' | 'isSuspended' | 'credentialOf' | 'isCurrent' | 'recallFor' | 'connect'
>;
export interface CallersServersParts {
  readonly log: Log;
  readonly credentials: () => CallerCredentials | undefined;
  /** Of all servers. */
  readonly personal: () => Iterable<Reached>;
  /** The lists of the request's owner are known, or were not reached in time. */
  readonly prepared: (request: InboundRequest) => void;
}

/** Connects the servers that a caller can use without a click: when the caller signs in at this gateway, and before the caller's
 *  first request continues, after a restart too. */
export class CallersServers {
  readonly #parts: CallersServersParts;
  /** Whose servers are connected, or are being connected. */
  readonly #known = new Map<string, Promise<void> | 'done'>();

  /** How often what an owner can use has grown: a part of what is known. */
  readonly #changes = new Map<string, number>();

  constructor(parts: CallersServersParts) {
    this.#parts = parts;
  }

  /** @returns undefined if nothing is to be waited for. Never rejects */
  prepare(request: InboundRequest): Promise<undefined> | undefined {
    if (request.access === 'public') return undefined;
    const owners = this.#ownersOf(request);
    if (owners === '') return undefined;
    const known = this.#known.get(owners) ?? this.#begin(owners, request);
    if (known !== 'done') return known.then(() => this.#prepared(request));
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
    this.#parts.prepared(request);
    return undefined;
  }

  #ownersOf(request: InboundRequest): string {
    const owners: string[] = [];
    for (const personal of this.#parts.personal()) {
      const owner = personal.credentialOf(request)?.owner;
      if (owner !== undefined) owners.push(personal.name, owner, String(this.#changes.get(owner) ?? ''));
    }
    return owners.length === 0 ? '' : JSON.stringify(owners);
  }

  #begin(owners: string, request: InboundRequest): Promise<void> {
    const connecting = this.#connect(request).catch((error: unknown) => {
      this.#known.delete(owners);
      this.#parts.log.warn('the sign-ins of a caller could not be read', { error: messageOf(error) });
    });
    const begun = waitAtMost(MAX_WAIT_MS, connecting).then(() => {
      if (this.#known.get(owners) === begun) setNewest(this.#known, [owners, 'done'], MAX_OWNERS);
    });
    this.#known.set(owners, begun);
    return begun;
  }

  /** In parallel. @throws GatewayError STORE_UNREACHABLE */
  async #connect(request: InboundRequest): Promise<void> {
    await Promise.all([...this.#parts.personal()].map((personal) => personal.recallFor(request)));
    const usable = (await this.#parts.credentials()?.usable(request)) ?? [];
    const byName = new Map([...this.#parts.personal()].map((personal) => [personal.name, personal]));
    const connecting = usable.map(async ({ server, credential }) => {
      const personal = byName.get(server);
      if (personal === undefined || personal.isSuspended || personal.isCurrent(credential.owner)) return;
      try {
        await personal.connect(credential);
      } catch (error) {
        this.#parts.log.info('a server of a caller could not be connected', {
          server,
          error: messageOf(error),
        });
      }
    });
    await Promise.all(connecting);
  }
}
