import type { InboundRequest, Reply } from 'pegboard';
import { html, page } from '../../kit/http/page.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { Registrations } from '../clients/registrations.ts';
import { DEVICE_REDIRECT } from '../state/devices.ts';
import { deviceEnd } from './devicePage.ts';
import type { Devices } from '../state/devices.ts';
import type { IdentityProvider } from '../provider/identityProvider.ts';
import type { BrowserPeople } from '../state/browserPeople.ts';
import type { Codes } from '../state/codes.ts';
import type { BrowserFlow, DeviceFlow, Flow } from '../state/flows.ts';
import type { Identity } from '../state/signIn.ts';
import { digest, newSecret } from '../../kit/secrets/secrets.ts';
import type { Addresses } from '../web/addresses.ts';
import type { OAuthEndpoint, OAuthExchange } from '../web/oauthRoute.ts';
import { Params } from '../web/params.ts';
import { redirectTo } from '../web/redirectTo.ts';
import { errorRedirect } from './errorRedirect.ts';
import { toProvider } from './toProvider.ts';
import type { ProviderLeg } from './toProvider.ts';

/** A return that is its flow's. */
interface Return {
  readonly request: InboundRequest;
  /** Asks the identity provider who it is. @throws OAuthError */
  readonly redeem: () => Promise<Identity>;
  /** Whether the browser has proved that it began the flow. */
  readonly isSameBrowser: boolean;
  /** Why the sign-in is not completed, for the log. */
  readonly logRefusal: OAuthExchange['logRefusal'];
}

/** `GET /oauth/callback`: the browser returns from the identity provider; the client gets a code, or the reason why not. */
export function providerCallback(
  leg: ProviderLeg,
  codes: Codes,
  people: BrowserPeople,
  registrations: Registrations,
  devices: Devices,
): OAuthEndpoint {
  const { flows, browsers, addresses, provider } = leg;
  return {
    method: 'GET',
    path: '/oauth/callback',
    isForBrowsers: true,
    handle: async ({ http, request, address, logRefusal }) => {
      const params = new Params(http.query);
      const state = params.need('state');
      const taken = await flows.take('callback', state, address);
      if (taken === undefined) throw unknownState(params.get('iss') === addresses.base);
      const { flow, complete } = taken;
      const browser = browsers.idOf(request);
      const isSameBrowser = browser !== undefined && digest(browser) === flow.browser;
      const isBound = !('isBound' in flow) || flow.isBound;
      if (!isSameBrowser && (browser !== undefined || isBound))
        throw new OAuthError('invalid_request', 'this sign-in began in another browser; begin it again', {
          reason: 'callback-of-other-browser',
        });
      if (isRefusedScope(params, provider) && flow.lacksAudiences === undefined && leg.asked.mayLeaveOut())
        return toProvider(leg, { ...flow, lacksAudiences: true, nonce: newSecret() });
      const { verifier, nonce, hints, begunAt } = flow;
      const redeem = async (): Promise<Identity> => {
        const identity = await provider.redeem(http.query, { state, nonce, verifier, hints, begunAt });
        if (!(await complete())) throw unknownState(false);
        if ('clientId' in flow) await registrations.used(flow.clientId);
        return identity;
      };
      const returned: Return = { request, redeem, isSameBrowser, logRefusal };
      if ('returnTo' in flow) return toPage(leg, people, flow, returned);
      if ('device' in flow) return toDevice(devices, codes, people, flow, returned);
      return toClient(addresses, codes, people, flow, returned);
    },
  };
}

/** Whether the provider knows a scope of the request not, and is the one that was asked (RFC 9207). */
function isRefusedScope(params: Params, { issuer }: Pick<IdentityProvider, 'issuer'>): boolean {
  return params.get('error') === 'invalid_scope' && [undefined, issuer].includes(params.get('iss'));
}

async function toClient(
  addresses: Addresses,
  codes: Codes,
  people: BrowserPeople,
  flow: Flow,
  { request, redeem, isSameBrowser, logRefusal }: Return,
): Promise<Reply> {
  const { clientId, redirectUri, scope, challenge } = flow;
  try {
    const identity = await redeem();
    const code = await codes.issue({ clientId, redirectUri, scope, challenge }, identity);
    // Else an attacker could have a victim's browser pass for the attacker's, by a callback of their own.
    const headers = isSameBrowser ? await people.remember(request, identity) : {};
    return redirectTo(redirectUri, { code, state: flow.state, iss: addresses.base }, headers);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    logRefusal(error);
    return errorRedirect(addresses, redirectUri, flow.state, error);
  }
}

async function toPage(
  { addresses, tokenSets }: ProviderLeg,
  people: BrowserPeople,
  { returnTo }: BrowserFlow,
  { request, redeem, logRefusal }: Return,
): Promise<Reply> {
  try {
    const identity = await redeem();
    await tokenSets.renew(identity);
    const headers = await people.remember(request, identity);
    return { status: 302, headers: { location: addresses.at(returnTo), ...headers } };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    logRefusal(error);
    return page(
      'You are not signed in',
      html`<p>The sign-in was not completed.</p>
        <p><a class="button" href="${addresses.at(returnTo)}">Try again</a></p>`,
      { status: error.status },
    );
  }
}

async function toDevice(
  devices: Devices,
  codes: Codes,
  people: BrowserPeople,
  { device, clientId, scope, challenge }: DeviceFlow,
  { request, redeem, logRefusal }: Return,
): Promise<Reply> {
  const identity = await redeem().catch((error: unknown) => {
    if (error instanceof OAuthError && error.error === 'access_denied') return error;
    throw error;
  });
  if (identity instanceof OAuthError) {
    logRefusal(identity);
    await devices.decide(device, 'denied');
    return deviceEnd('denied');
  }
  const asked = { clientId, redirectUri: DEVICE_REDIRECT, scope, challenge };
  await codes.issueFor(challenge, asked, identity);
  if (!(await devices.decide(device, 'allowed'))) return deviceEnd('expired');
  const shown = deviceEnd('allowed');
  return { ...shown, headers: { ...shown.headers, ...(await people.remember(request, identity)) } };
}

/** @param isOwnAnswer whether it is what a client gets, which has then registered this address as its own */
function unknownState(isOwnAnswer: boolean): OAuthError {
  return isOwnAnswer
    ? new OAuthError(
        'invalid_request',
        'this redirect URI is that of the gateway itself; the client must register one of its own',
        { reason: 'callback-of-client' },
      )
    : new OAuthError('invalid_request', 'this sign-in is unknown, completed or expired; begin it again', {
        reason: 'state-unknown',
      });
}
