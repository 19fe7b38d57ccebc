import type { Caller } from 'pegboard';
import type { ListedSignIn, SignInList } from '../../contracts/oauth.ts';
import { callerKey } from '../../kit/authority/ownerOf.ts';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import type { SignIn } from './signIn.ts';
import type { SignIns } from './signIns.ts';

const MAX_KNOWN = 100_000;
type PersonKey = Pick<Caller, 'issuer' | 'subject'>;

/** Sign-ins by person, for those who see and end them. */
export class PeopleSignIns implements SignInList {
  readonly #signIns: SignIns;
  /** The person of a sign-in never changes: those of others need not be read. */
  readonly #owners = recentlyUsed<string>(MAX_KNOWN);

  constructor(signIns: SignIns) {
    this.#signIns = signIns;
  }

  async of(person: PersonKey | undefined): Promise<readonly ListedSignIn[]> {
    const found = await this.find(person);
    return found.map(listed).sort((one, other) => (one.lastUsed < other.lastUsed ? 1 : -1));
  }

  /** @param person undefined: of all people @throws GatewayError STORE_UNREACHABLE */
  async find(person?: PersonKey): Promise<readonly SignIn[]> {
    const owner = person && callerKey(person);
    const ids = (await this.#signIns.ids()).filter(
      (id) => owner === undefined || (this.#owners.get(id) ?? owner) === owner,
    );
    const found = await Promise.all(ids.map((id) => this.#signIns.find(id)));
    const lasting = found.filter((one) => one !== undefined);
    for (const { id, person: own } of lasting) this.#owners.set(id, callerKey(own));
    return lasting.filter(({ person: own }) => owner === undefined || callerKey(own) === owner);
  }

  async end(id: string): Promise<boolean> {
    if ((await this.#signIns.find(id)) === undefined) return false;
    await this.#signIns.end(id, 'ended');
    return true;
  }
}

function listed(signIn: SignIn): ListedSignIn {
  const { id, clientId, clientName, person, signedInAt, usedAt = signedInAt, address, expiresAt } = signIn;
  const shown = person.email ?? person.name;
  return {
    id,
    issuer: person.issuer,
    subject: person.subject,
    ...(shown !== undefined && { person: shown }),
    clientId,
    ...(clientName !== undefined && { clientName }),
    since: timeText(signedInAt),
    lastUsed: timeText(usedAt),
    ...(address !== undefined && { address }),
    expires: timeText(expiresAt),
  };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
