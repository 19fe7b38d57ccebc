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
import type { Web } from '../web/web.ts';
import { CodeGrant } from './codeGrant.ts';
import { ProviderAhead } from './providerAhead.ts';
import { ProviderTurns } from './providerTurns.ts';
import { RefreshGrant } from './refreshGrant.ts';

/** Reasons that a person has wanted: signed out by the client, ended here, or at the provider. */
const SIGN_OUTS: ReadonlySet<string> = new Set(['revoked', 'ended', 'provider-logout']);

/** What has been issued, and how it is recognised. */
export interface Issued {
  readonly signIns: SignIns;
  readonly people: PeopleSignIns;
  readonly accessTokens: AccessTokens;
  readonly codes: Codes;
  readonly devices: Devices;
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
  const signIns = new SignIns(
    scope,
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
  const left = async ({ person, provider: tokens }: SignIn, reason: string): Promise<void> => {
    try {
      if (!SIGN_OUTS.has(reason) || (await people.find(person)).length > 0) return;
      const { issuer, subject } = person;
      scope.emit({ type: 'signIn.lastEnded', issuer, subject });
      provider.revoke(tokens);
    } catch (error) {
      scope.log.warn('the other sign-ins of a person could not be read', { reason: messageOf(error) });
    }
  };
  const begun = (signIn: SignIn): void => {
    counts.begun();
    scope.emit({ type: 'signIn.begun', caller: callerOfSignIn(signIn) });
  };
  const changed = (signIn: SignIn): void => {
    signIns.changed(signIn.id);
    scope.log.info('the identity provider describes a person otherwise than before', { signIn: signIn.id });
    scope.emit({ type: 'signIn.changed', caller: callerOfSignIn(signIn) });
  };
  const accessTokens = new AccessTokens(scope, signIns, () => addresses.audience);
  const attempts = new Attempts(scope);
  const sessionMs = (): number => parseDuration(scope.config.aggregator.oauth.server.sessionDuration) ?? 0;
  const issuing = { signIns, accessTokens, attempts, addresses, sessionMs, changed, log: scope.log };
  const turns = new ProviderTurns(signIns, attempts, provider);
  const ahead = new ProviderAhead(issuing, turns);
  const codes = new Codes(scope);
  const devices = new Devices(scope);
  const byCode = new CodeGrant(issuing, codes, begun);
  const own = [byCode, new RefreshGrant(issuing, turns, ahead)];
  const byDevice = new DeviceGrant(devices, byCode, addresses);
  const grants = (): readonly Grant[] => {
    const { allowDeviceFlow } = scope.config.aggregator.oauth.server;
    return [...own, ...(allowDeviceFlow ? [byDevice] : []), ...scope.all(Grant)];
  };
  return { signIns, people, accessTokens, codes, devices, ahead, grants };
}
