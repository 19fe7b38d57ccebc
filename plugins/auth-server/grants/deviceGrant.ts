import type { Grant, GrantAnswer, GrantRequest } from '../../contracts/oauth.ts';
import { RateLimit } from '../../kit/http/rateLimit.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { digest, isSame } from '../../kit/secrets/secrets.ts';
import type { CodeGrant } from './codeGrant.ts';
import type { Addresses } from '../web/addresses.ts';
import { Params } from '../web/params.ts';
import { DEVICE_CODE, DEVICE_REDIRECT, POLL_S } from '../state/devices.ts';
import type { Devices } from '../state/devices.ts';

/** A device whose clock or network is uneven is not too fast. */
const POLLS = { count: 3, seconds: 2 * POLL_S };

/** `grant_type=urn:ietf:params:oauth:grant-type:device_code`: once a person has allowed it, the device code is an authorization code
 *  that holds its own verifier. Source: RFC 8628 §3.4 */
export class DeviceGrant implements Grant {
  readonly type = DEVICE_CODE;
  readonly #devices: Devices;
  readonly #codes: CodeGrant;
  readonly #addresses: Addresses;
  readonly #polls = new RateLimit(() => POLLS.count, POLLS.seconds);

  constructor(devices: Devices, codes: CodeGrant, addresses: Addresses) {
    this.#devices = devices;
    this.#codes = codes;
    this.#addresses = addresses;
  }

  get metadata(): { readonly device_authorization_endpoint: string } {
    return { device_authorization_endpoint: this.#addresses.at('/oauth/device_authorization') };
  }

  async redeem(request: GrantRequest): Promise<GrantAnswer> {
    const code = request.form.need('device_code');
    const [id = ''] = code.split('.', 1);
    const device = await this.#devices.find(id);
    if (device === undefined)
      throw refusal('expired_token', 'the device code is unknown or expired; ask for another one');
    if (device.clientId !== request.client.id || !isSame(digest(code), device.challenge))
      throw refusal('invalid_grant', 'the device code is not this client’s');
    if (device.decision === 'denied') throw refusal('access_denied', 'the person did not allow it');
    if (device.decision === undefined) {
      if (!this.#polls.admits(id)) throw refusal('slow_down', `ask every ${POLL_S} seconds`);
      throw refusal('authorization_pending', 'the person has not signed in yet');
    }
    const form = new URLSearchParams({ code, code_verifier: code, redirect_uri: DEVICE_REDIRECT });
    for (const resource of request.form.all('resource')) form.append('resource', resource);
    return this.#codes.redeem({ ...request, form: new Params(form) });
  }
}

function refusal(error: string, description: string): OAuthError {
  return new OAuthError(error, description);
}
