import { messageOf } from 'pegboard';
import type { Caller, Log } from 'pegboard';
import type { GuardedServer } from '../../contracts/credentials.ts';
import type { AuthorizationServer } from '../../contracts/oauth.ts';
import type { Credentials } from './credentials/credentials.ts';
import type { KeptGrant, GrantRecord } from './record/grantRecord.ts';
import { personHolder } from './record/holderOf.ts';
import type { Grants } from './store/grants.ts';

/** Time between two searches for sign-ins that have run out, of which no event tells. */
const SEARCH_MS = 3_600_000;

export interface EndedGrantsParts {
  readonly grants: Pick<Grants, 'all' | 'dropSession' | 'dropOwner'>;
  readonly credentials: Pick<Credentials, 'forgetSession'>;
  readonly server: (name: string) => GuardedServer | undefined;
  /** Undefined if people do not sign in at this gateway. */
  readonly ownSignIn: () => AuthorizationServer | undefined;
  /** Tells the authorization server. Never rejects. */
  readonly revoke: (grant: KeptGrant) => Promise<void>;
  readonly log: Log;
}

/** Discards and revokes the grants of sign-ins at this gateway that have ended. */
export class EndedGrants {
  readonly #parts: EndedGrantsParts;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: EndedGrantsParts) {
    this.#parts = parts;
  }

  /** Searches now and every hour. */
  start(): void {
    this.#run(this.#search());
    this.#timer = setTimeout(() => this.start(), SEARCH_MS);
    this.#timer.unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** @param sid of the sign-in */
  ofSession(sid: string): void {
    this.#run(this.#endSession(sid));
  }

  /** Those with `grantScope: subject`, of a person who has no sign-in any more. */
  ofPerson({ issuer, subject }: Required<Pick<Caller, 'issuer' | 'subject'>>): void {
    const { owner } = personHolder({ caller: { issuer, subject } });
    this.#run(this.#parts.grants.dropOwner(owner).then((dropped) => this.#end(dropped)));
  }

  async #search(): Promise<void> {
    const server = this.#parts.ownSignIn();
    if (server === undefined) return;
    const found = (await this.#parts.grants.all()).flatMap(({ session }) => session ?? []);
    for (const sid of new Set(found)) {
      if (this.#isStopped) return;
      if (await server.hasEnded(sid)) await this.#endSession(sid);
    }
  }

  async #endSession(sid: string): Promise<void> {
    const { grants, credentials } = this.#parts;
    const [dropped] = await Promise.all([grants.dropSession(sid), credentials.forgetSession(sid)]);
    await this.#end(dropped);
  }

  async #end(dropped: readonly GrantRecord[]): Promise<void> {
    const { server, revoke } = this.#parts;
    // What was kept of an owner who has made no request since a restart ends too.
    await Promise.all(dropped.flatMap((one) => server(one.server)?.disconnect(one.owner, true) ?? []));
    for (const { grant } of dropped) if (grant !== undefined) await revoke(grant);
  }

  #run(ending: Promise<void>): void {
    ending.catch((error: unknown) => {
      const reason = messageOf(error);
      this.#parts.log.warn('the grants of a sign-in that has ended were not dropped', { reason });
    });
  }
}
