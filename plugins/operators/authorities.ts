import type { BlockList } from 'node:net';
import { isIP } from 'node:net';
import { isLoopbackHost } from 'pegboard/net';
import type { Caller } from 'pegboard';
import { ADMIN } from '../kit/authority/adminPages.ts';
import { addressRanges } from '../kit/http/addressRanges.ts';
import { groupsOf, isOfIssuer } from '../kit/authority/authority.ts';
import type { Asker, Authority } from '../contracts/operators.ts';
import type { OperatorsConfig, OperatorsSection } from './config.ts';

export type IsOwnSignIn = (caller: Caller) => boolean;

/** What the operators' configuration gives each caller. */
export class Authorities {
  readonly #config: OperatorsConfig;
  readonly #networks: BlockList;
  readonly #isOwnSignIn: IsOwnSignIn;
  readonly #known = new WeakMap<Caller, Authority>();

  /** @param isOwnSignIn whether the caller has signed in at this gateway: groups and addresses count for those only, because
   *  other issuers choose the claims of their tokens */
  constructor(config: OperatorsConfig, isOwnSignIn: IsOwnSignIn) {
    this.#config = config;
    this.#networks = addressRanges(config.operators.networks);
    this.#isOwnSignIn = isOwnSignIn;
  }

  of(request: Asker): Authority {
    const { caller } = request;
    if (caller === undefined) return isOnMachine(request, this.#networks) ? 'define' : 'use';
    let held = this.#known.get(caller);
    if (held === undefined) this.#known.set(caller, (held = this.#signedIn(caller)));
    return held;
  }

  #signedIn(caller: Caller): Authority {
    const { operators, access } = this.#config;
    if (isNamed(caller, operators)) return 'define';
    if (!this.#isOwnSignIn(caller)) return 'use';
    const groups = groupsOf(caller);
    if (groups.some((group) => operators.groups.includes(group)) || hasEmail(caller, operators.emails))
      return 'define';
    const given = access.filter(
      (entry) => isOfIssuer(entry, caller) && entry.groups.some((group) => groups.includes(group)),
    );
    if (given.some(({ operator }) => operator === 'define')) return 'define';
    return given.some(({ operator }) => operator === 'operate') ? 'operate' : 'use';
  }
}

function isNamed({ issuer, subject }: Caller, { issuers }: OperatorsSection): boolean {
  return issuers.some((entry) => entry.issuer === issuer && entry.subjects.includes(subject));
}

/** Whether the caller has one of these addresses. Only those that the provider has verified count: many let people claim any address. */
function hasEmail({ claims }: Caller, emails: readonly string[]): boolean {
  const email = claims?.['email'];
  if (typeof email !== 'string' || claims?.['email_verified'] !== true) return false;
  return emails.some((one) => one.toLowerCase() === email.toLowerCase());
}

const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip'];

/** Whether a request without a caller comes from this machine's user: over standard input and output, from the admin pages, from
 *  loopback, or from a network that counts as that. A proxy on this machine forwards requests of others. */
function isOnMachine(request: Asker, networks: BlockList): boolean {
  const { transport, remoteAddress, actor } = request;
  // Where people sign in at the admin pages, a request of theirs without a caller asks what strangers may do.
  if (actor !== undefined) return false;
  if (remoteAddress === undefined || transport === ADMIN) return true;
  if (FORWARDED.some((name) => request.header(name) !== undefined)) return false;
  return (
    isLoopbackHost(remoteAddress) ||
    networks.check(remoteAddress, isIP(remoteAddress) === 6 ? 'ipv6' : 'ipv4')
  );
}
