import type { Caller } from 'pegboard';
import { callerKey } from '../../../kit/authority/ownerOf.ts';
import { digest } from '../../../kit/secrets/secrets.ts';
import type { GrantStore, GuardedServer, StoredGrant } from '../../../contracts/credentials.ts';
import type { Credentials } from './credentials.ts';
import { grantFacts, lossOf } from '../record/grantFacts.ts';
import type { GrantPlace } from '../record/grantFacts.ts';
import type { KeptGrant, GrantRecord } from '../record/grantRecord.ts';
import { grantPlaceOf } from '../record/grantPlaceOf.ts';
import type { CallerSecrets } from '../store/callerSecrets.ts';
import type { GrantCell } from '../store/grantCell.ts';
import type { Grants } from '../store/grants.ts';

const ID_CHARS = 22;
const HOLDER_CHARS = 12;

export interface StoredGrantsParts {
  readonly grants: Grants;
  readonly secrets: CallerSecrets;
  readonly credentials: Pick<Credentials, 'endOwn'>;
  /** Makes the record of the cell newer than the one with that access token, unless it cannot be. */
  readonly refresh: (cell: GrantCell, token: string) => Promise<void>;
  readonly server: (name: string) => GuardedServer | undefined;
  /** Ends the connection of an owner, which forgets what was listed on it. */
  readonly disconnect: (owner: string, server: string) => Promise<void>;
  /** Tells the authorization server. Never rejects. */
  readonly revoke: (grant: KeptGrant) => Promise<void>;
}

/** The grants of all owners, for operators. */
export class StoredGrants implements GrantStore {
  readonly #parts: StoredGrantsParts;

  constructor(parts: StoredGrantsParts) {
    this.#parts = parts;
  }

  async all(person?: Caller): Promise<readonly StoredGrant[]> {
    const found = await this.#parts.grants.all();
    const own = person === undefined ? found : found.filter((one) => one.person === callerKey(person));
    const all = own.map((record) => this.#shown(record));
    return all.sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  }

  async refresh(id: string): Promise<StoredGrant | undefined> {
    const record = await this.#find(id);
    if (record === undefined) return undefined;
    const { grants, refresh } = this.#parts;
    const { owner, server, grant } = record;
    // A refresh token goes only where the definition still leads.
    const isLost = lossOf(record, this.#placeFor(record), Date.now()) !== undefined;
    if (grant !== undefined && !isLost) await refresh(grants.cell(owner, server), grant.accessToken);
    const after = await grants.find(owner, server);
    return after && this.#shown(after);
  }

  async drop(id: string): Promise<boolean> {
    const record = await this.#find(id);
    if (record === undefined) return false;
    const dropped = await this.#parts.grants.drop(record.owner, record.server);
    if (dropped !== undefined) await this.#end([dropped]);
    return dropped !== undefined;
  }

  async dropServer(server: string): Promise<number> {
    const dropped = await this.#parts.grants.dropServer(server);
    await this.#end(dropped);
    return countOf(dropped);
  }

  async dropAll(): Promise<number> {
    const { grants, secrets, credentials } = this.#parts;
    const dropped = await grants.dropAll();
    // Grants that are gone are ended even if the secrets cannot be reached.
    await this.#end(dropped);
    const entered = await secrets.dropAll();
    await credentials.endOwn();
    return countOf(dropped) + entered;
  }

  /** An authorization server may be slow, so that revoking is not waited for; one after the other, as it need not serve many. */
  async #end(dropped: readonly GrantRecord[]): Promise<void> {
    const { disconnect, revoke } = this.#parts;
    await Promise.all(dropped.map(({ owner, server }) => disconnect(owner, server)));
    void (async () => {
      for (const { grant } of dropped) if (grant !== undefined) await revoke(grant);
    })();
  }

  async #find(id: string): Promise<GrantRecord | undefined> {
    return (await this.#parts.grants.all()).find((record) => idOf(record) === id);
  }

  #shown(record: GrantRecord): StoredGrant {
    const { owner, server } = record;
    const { state, since, expires, nextRefresh, reason } = grantFacts(
      record,
      this.#placeFor(record),
      Date.now(),
    );
    return {
      id: idOf(record),
      holder: digest(owner).slice(0, HOLDER_CHARS),
      server,
      state,
      ...(since !== undefined && { since }),
      ...(expires !== undefined && { expires }),
      ...(nextRefresh !== undefined && { nextRefresh }),
      ...(reason !== undefined && { reason }),
    };
  }

  /** A definition that is gone says nothing against a grant. */
  #placeFor({ server: name, grant }: GrantRecord): GrantPlace {
    const server = this.#parts.server(name);
    return server === undefined ? { url: grant?.url ?? '', issuer: undefined } : grantPlaceOf(server);
  }
}

function countOf(records: readonly GrantRecord[]): number {
  return records.filter(({ grant }) => grant !== undefined).length;
}
function idOf({ owner, server }: GrantRecord): string {
  return digest(`${owner}:${server}`).slice(0, ID_CHARS);
}
function orderOf({ server, holder }: StoredGrant): string {
  return `${server} ${holder}`;
}
