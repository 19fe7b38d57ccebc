import { Tally } from '../../kit/metrics/tally.ts';
import type { Metric, MetricSource } from '../../contracts/metrics.ts';
import type { OAuthError } from '../../kit/oauth/oauthError.ts';

/** Error codes of RFC 6749, 6750, 7591, 8628, 8707, 9449, OpenID Connect and this gateway; any other of a provider counts as `other`. */
const KNOWN = new Set([
  ...['access_denied', 'consent_required', 'insufficient_scope', 'interaction_required', 'invalid_client'],
  ...['invalid_client_metadata', 'invalid_dpop_proof', 'invalid_grant', 'invalid_redirect_uri'],
  ...['invalid_request', 'invalid_scope', 'invalid_target', 'invalid_token', 'login_required'],
  ...['rate_limit_exceeded', 'server_error', 'temporarily_unavailable', 'unauthorized_client'],
  ...['unsupported_grant_type', 'unsupported_response_type', 'use_dpop_nonce'],
  ...['authorization_pending', 'expired_token', 'slow_down'],
]);

/** Sign-ins at this gateway since its start. */
export class SignInCounts implements MetricSource {
  readonly #refusals = new Tally();
  #begun = 0;
  #ended = 0;

  begun(): void {
    this.#begun += 1;
  }
  ended(): void {
    this.#ended += 1;
  }
  refused({ error }: OAuthError): void {
    this.#refusals.add({ error: KNOWN.has(error) ? error : 'other' });
  }

  get metrics(): readonly Metric[] {
    return [
      {
        name: 'pegboard.signin.begun',
        kind: 'counter',
        unit: '{sign-in}',
        description: 'Sign-ins at this gateway that were completed at this process.',
        read: () => [{ value: this.#begun }],
      },
      {
        name: 'pegboard.signin.ended',
        kind: 'counter',
        unit: '{sign-in}',
        description: 'Those of all processes that were ended before their time.',
        read: () => [{ value: this.#ended }],
      },
      {
        name: 'pegboard.signin.refused',
        kind: 'counter',
        unit: '{request}',
        description: 'Requests for a sign-in or its tokens that were refused, by OAuth error.',
        read: () => this.#refusals.samples(),
      },
    ];
  }
}
