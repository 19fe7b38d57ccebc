import type { Caller } from 'pegboard';
import type { ListedSignIn, SignInList } from '../../contracts/oauth.ts';
import { callerKey } from '../../kit/authority/ownerOf.ts';
import type { SignIn } from './signIn.ts';
import type { SignIns } from './signIns.ts';

type PersonKey = Pick<Caller, 'issuer' | 'subject'>;

/** What the identity provider has ended: a session, or all of a person. */
export interface ProviderLogout {
  readonly issuer: string;
  /** Claim `sub`; undefined: any person. */
  readonly subject: string | undefined;
  /** Claim `sid`; undefined: all sessions of the person. */
  readonly session: string | undefined;
}

/** Sign-ins by person, for those who see and end them. */
export class PeopleSignIns implements SignInList {
  readonly #signIns: SignIns;

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
    const ids = await this.#signIns.ids(person);
    const found = await Promise.all(ids.map((id) => this.#signIns.find(id)));
    return found
      .filter((one) => one !== undefined)
      .filter(({ person: own }) => owner === undefined || callerKey(own) === owner);
  }

  /** Those that use a token set. @throws GatewayError STORE_UNREACHABLE */
  async usersOf(tokenSet: string, person: PersonKey): Promise<readonly SignIn[]> {
    return (await this.find(person)).filter((one) => one.tokenSet === tokenSet);
  }

  async end(id: string): Promise<boolean> {
    if ((await this.#signIns.find(id)) === undefined) return false;
    await this.#signIns.end(id, 'ended');
    return true;
  }

  /** Ends those of a session at the provider, or of a person; one whose session is not known ends with any of its person.
   *  @returns their ids @throws GatewayError STORE_UNREACHABLE */
  async endAtProvider({ issuer, subject, session }: ProviderLogout): Promise<readonly string[]> {
    const found = await this.find(subject === undefined ? undefined : { issuer, subject });
    const isMeant = ({ providerSession = subject && session }: SignIn): boolean =>
      session === undefined || providerSession === session;
    const ids = found.filter(isMeant).map(({ id }) => id);
    for (const id of ids) await this.#signIns.end(id, 'provider-logout');
    return ids;
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
