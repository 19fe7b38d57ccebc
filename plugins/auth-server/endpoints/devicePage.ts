import type { Reply } from 'pegboard';
import type { OAuthClient } from '../../contracts/oauth.ts';
import { html, page } from '../../kit/http/page.ts';
import { RateLimit } from '../../kit/http/rateLimit.ts';
import { digest, newSecret } from '../../kit/secrets/secrets.ts';
import type { Clients } from '../clients/clients.ts';
import type { ServerConfig } from '../config.ts';
import { decisionForm, scopeItems } from './consentPage.ts';
import { BROWSER_S } from './toProvider.ts';
import type { ProviderLeg } from './toProvider.ts';
import { countRequest } from '../web/countRequest.ts';
import type { OAuthEndpoint } from '../web/oauthRoute.ts';
import { Params } from '../web/params.ts';
import { DEVICE_S, idOf } from '../state/devices.ts';
import type { Devices, WaitingDevice } from '../state/devices.ts';
import { refuseDevices } from './deviceAuthorization.ts';

/** Codes that an address may try in a window: they are short, and must not be guessed. Source: RFC 8628 §5.1 */
const TRIES = { count: 20, seconds: DEVICE_S };

/** `GET /oauth/device`: asks for the code that a device shows, then whether that device may act for the person. Source: RFC 8628 §3.3 */
export function devicePage(
  leg: ProviderLeg,
  clients: Clients,
  devices: Devices,
  config: () => ServerConfig,
): OAuthEndpoint {
  const tries = new RateLimit(() => TRIES.count, TRIES.seconds);
  return {
    method: 'GET',
    path: '/oauth/device',
    isForBrowsers: true,
    handle: async ({ http, request, address }) => {
      refuseDevices(config());
      const code = new Params(http.query).get('user_code');
      if (code === undefined) return codePage();
      countRequest(tries, address);
      const id = idOf(code);
      const device = await devices.find(id);
      if (device === undefined || device.decision !== undefined)
        return codePage('That code is unknown, used or expired.');
      const client = await clients.find(device.clientId, address);
      const browser = leg.browsers.give(request, BROWSER_S);
      const sealed = await leg.flows.seal('consent', {
        device: id,
        clientId: device.clientId,
        scope: device.scope,
        challenge: device.challenge,
        hints: {},
        verifier: newSecret(),
        nonce: newSecret(),
        browser: digest(browser.id),
        begunAt: Date.now(),
      });
      const shown = allowPage(client, device, code, sealed);
      return { ...shown, headers: { ...shown.headers, ...browser.headers } };
    },
  };
}

/** @param problem with the code that was typed */
function codePage(problem?: string): Reply {
  return page(
    'Sign in a device',
    html`${problem === undefined ? undefined : html`<p role="alert">${problem}</p>`}
      <form method="get" action="device">
        <p>
          <label for="code">The code that the device shows</label>
        </p>
        <p>
          <input
            id="code"
            name="user_code"
            required
            maxlength="20"
            autocomplete="off"
            autocapitalize="characters"
          />
        </p>
        <p>Type only a code that you have asked for yourself, on a device that you have before you.</p>
        <button>Continue</button>
      </form>`,
    { status: problem === undefined ? 200 : 400 },
  );
}

/** Source: RFC 8628 §5.4: people are talked into typing the code of another person's device. */
function allowPage(
  { id, name }: OAuthClient,
  { scope, address, begunAt }: WaitingDevice,
  code: string,
  sealed: string,
): Reply {
  const minutes = Math.floor((Date.now() - begunAt) / 60_000);
  return page(
    'Sign in this device?',
    html`<p>
        <strong>${name ?? id}</strong>, on another device, wants to use the tools of this gateway in your
        name.
      </p>
      <dl>
        <dt>The device shows</dt>
        <dd>${code.toUpperCase()}</dd>
        <dt>It asked</dt>
        <dd>${minutes === 0 ? 'just now' : `${minutes} min ago`}, from ${address}</dd>
        <dt>It gets</dt>
        <dd>
          <ul>
            ${scopeItems(scope)}
          </ul>
        </dd>
      </dl>
      <p>
        Allow this only if you have that device before you and it shows this code. If another person sent you
        here, cancel: they would get access as you.
      </p>
      ${decisionForm(sealed)}`,
  );
}

const ENDS = {
  allowed: {
    title: 'The device is signed in',
    text: 'It continues by itself. You can close this page.',
    status: 200,
  },
  denied: { title: 'The device is not signed in', text: 'You can close this page.', status: 200 },
  expired: {
    title: 'The device is not signed in',
    text: 'Its code has expired or was used. Ask for another one on the device.',
    status: 400,
  },
};

/** The end of the person's part. */
export function deviceEnd(decision: keyof typeof ENDS): Reply {
  const { title, text, status } = ENDS[decision];
  return page(title, html`<p>${text}</p>`, { status });
}
