import { messageOf } from 'pegboard';
import type { Scope } from 'pegboard';
import { Grant } from '../../contracts/oauth.ts';
import { parseDuration } from '../../kit/text/parseDuration.ts';
import type { AuthServerConfig } from '../config.ts';
import { DeviceGrant } from './deviceGrant.ts';
import { Devices } from '../state/devices.ts';
import type { IdentityProvider } from '../provider/identityProvider.ts';
import { AccessTokens } from '../state/accessTokens.ts';
import { Attempts } from '../state/attempts.ts';
import { callerOfSignIn } from '../state/callerOf.ts';
import { Codes } from '../state/codes.ts';
import { PeopleSignIns } from '../state/peopleSignIns.ts';
import type { SignIn } from '../state/signIn.ts';
import { SignIns } from '../state/signIns.ts';
import { TokenSets } from '../state/tokenSets.ts';
import type { TokenSet } from '../state/tokenSets.ts';
import { REPLACED } from '../provider/refusedRefresh.ts';
import type { Web } from '../web/web.ts';
import { CodeGrant } from './codeGrant.ts';
import { ProviderAhead } from './providerAhead.ts';
import { RefreshGrant } from './refreshGrant.ts';
import { TokenSetRefresh } from './tokenSetRefresh.ts';

/** Reasons that a person has wanted: signed out by the client, ended here, or at the provider. */
const SIGN_OUTS: ReadonlySet<string> = new Set(['revoked', 'ended', 'provider-logout']);

/** What has been issued, and how it is recognised. */
export interface Issued {
  readonly signIns: SignIns;
  readonly tokenSets: TokenSets;
  readonly people: PeopleSignIns;
  readonly accessTokens: AccessTokens;
  readonly codes: Codes;
  readonly devices: Devices;
  readonly refresh: TokenSetRefresh;
  readonly ahead: ProviderAhead;
  readonly grants: () => readonly Grant[];
}

/** Sign-ins and their tokens, by the grant types of the token endpoint. */
export function provideIssuing(
  scope: Scope<AuthServerConfig>,
  { addresses, counts }: Web,
  provider: IdentityProvider,
): Issued {
  /** Requests that are under way, such as streams, know the person as they were. */
  const leave = (id: string): void => {
    accessTokens.forget(id);
    scope.emit({ type: 'callers.left', hasLeft: ({ caller }) => caller?.claims?.['sid'] === id });
  };
  const sessionMs = (): number => parseDuration(scope.config.aggregator.oauth.server.sessionDuration) ?? 0;
  const tokenSets = new TokenSets(
    scope,
    () => scope.config.aggregator.oauth.server.idp.clientId,
    (key, set) => changed(key, set),
  );
  const signIns = new SignIns(
    scope,
    tokenSets,
    {
      ended: (id) => {
        leave(id);
        counts.ended();
        scope.emit({ type: 'signIn.ended', sid: id });
      },
      changed: (id) => leave(id),
      left: (signIn, reason) => left(signIn, reason),
    },
    () => provider.issuer,
  );
  const people = new PeopleSignIns(signIns);
  /** The provider may end all that it has granted to the person with one token, so that only that of the last sign-in is revoked there. */
  const left = async ({ person, tokenSet }: SignIn, reason: string): Promise<void> => {
    try {
      // Before the others are read: a sign-in that begins meanwhile changes it.
      const set = await tokenSets.find(tokenSet);
      const others = await people.find(person);
      if (others.some((other) => other.tokenSet === tokenSet)) return;
      const isOver = set === undefined || (await tokenSets.release(tokenSet, set));
      if (!isOver || others.length > 0 || !SIGN_OUTS.has(reason)) return;
      const { issuer, subject } = person;
      scope.emit({ type: 'signIn.lastEnded', issuer, subject });
      if (set !== undefined) provider.revoke(set.tokens);
    } catch (error) {
      scope.log.warn('the other sign-ins of a person could not be read', { reason: messageOf(error) });
    }
  };
  const changed = async (key: string, { person }: TokenSet): Promise<void> => {
    for (const signIn of await people.usersOf(key, person)) {
      signIns.changed(signIn.id);
      scope.log.info('the identity provider describes a person otherwise than before', { signIn: signIn.id });
      scope.emit({ type: 'signIn.changed', caller: callerOfSignIn(signIn) });
    }
  };
  const refused = async (key: string, set: TokenSet, reason: string): Promise<string | undefined> => {
    const users = await people.usersOf(key, set.person);
    const newer = reason === REPLACED ? await tokenSets.newerThan(set) : undefined;
    if (newer !== undefined)
      for (const user of users) await signIns.change(user, (found) => ({ ...found, tokenSet: newer }));
    if ((await tokenSets.end(key, set)) && newer === undefined)
      for (const { id } of users) await signIns.end(id, reason);
    return newer;
  };
  const begun = (signIn: SignIn): void => {
    counts.begun();
    scope.emit({ type: 'signIn.begun', caller: callerOfSignIn(signIn) });
  };
  const accessTokens = new AccessTokens(
    scope,
    signIns,
    () => addresses.audience,
    () => scope.config.aggregator.oauth.server.redisGraceMs,
  );
  const attempts = new Attempts(scope);
  const issuing = { signIns, tokenSets, accessTokens, attempts, addresses, sessionMs, log: scope.log };
  const refresh = new TokenSetRefresh(tokenSets, attempts, provider, sessionMs, refused);
  const ahead = new ProviderAhead(refresh, scope.log);
  const codes = new Codes(scope, tokenSets);
  const devices = new Devices(scope);
  const byCode = new CodeGrant(issuing, codes, begun);
  const own = [byCode, new RefreshGrant(issuing, refresh)];
  const byDevice = new DeviceGrant(devices, byCode, addresses);
  const grants = (): readonly Grant[] => {
    const { allowDeviceFlow } = scope.config.aggregator.oauth.server;
    return [...own, ...(allowDeviceFlow ? [byDevice] : []), ...scope.all(Grant)];
  };
  return { signIns, tokenSets, people, accessTokens, codes, devices, refresh, ahead, grants };
}
