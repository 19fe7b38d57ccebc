import type { InboundRequest, Reply } from 'pegboard';
import type { OAuthClient } from '../../contracts/oauth.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import type { Clients } from '../clients/clients.ts';
import { checkRedirectUri, isLoopbackRedirect, isRedirectUriOf } from '../clients/redirectUri.ts';
import type { ServerConfig } from '../config.ts';
import type { BrowserPeople } from '../state/browserPeople.ts';
import type { Flow } from '../state/flows.ts';
import { digest, newSecret } from '../../kit/secrets/secrets.ts';
import type { Addresses } from '../web/addresses.ts';
import type { OAuthEndpoint } from '../web/oauthRoute.ts';
import { Params } from '../web/params.ts';
import { refuseOtherResource } from '../web/refuseOtherResource.ts';
import { consentPage } from './consentPage.ts';
import { errorRedirect } from './errorRedirect.ts';
import { scopeOf } from './scopeOf.ts';
import { BROWSER_S, toProvider } from './toProvider.ts';
import type { ProviderLeg } from './toProvider.ts';

/** Below it a client has not meant to be protected; Codex sends 22 characters, VS Code 24. */
const MIN_STATE_CHARS = 8;
const MAX_STATE_CHARS = 1_024;
const HINTS = ['prompt', 'login_hint', 'id_token_hint', 'max_age', 'acr_values'];
/** No provider takes longer ones. */
const MAX_HINT_CHARS = 512;
/** It is a token of the identity provider. */
const MAX_TOKEN_CHARS = 4_096;

/** `GET /oauth/authorize`: checks the request, then sends the browser to the identity provider, or asks for consent before. */
export function authorize(
  leg: ProviderLeg,
  clients: Clients,
  config: () => ServerConfig,
  people: BrowserPeople,
): OAuthEndpoint {
  return {
    method: 'GET',
    path: '/oauth/authorize',
    isForBrowsers: true,
    handle: async ({ http, request, address, logRefusal }) => {
      const params = new Params(http.query);
      const client = await clients.find(params.need('client_id'), address);
      const redirectUri = await redirectUriOf(client, params, config());
      try {
        return await begin(leg, { client, redirectUri, params, request }, config(), people);
      } catch (error) {
        if (!(error instanceof OAuthError) || error.status !== 400) throw error;
        logRefusal(error);
        return errorRedirect(leg.addresses, redirectUri, params.get('state'), error);
      }
    },
  };
}

/** The redirect URI of the request. Nothing is sent to it before it is known to be the client's, and one that may be used still. */
async function redirectUriOf(client: OAuthClient, params: Params, settings: ServerConfig): Promise<string> {
  const uri = params.need('redirect_uri');
  if (!isRedirectUriOf(client, uri)) {
    throw new OAuthError('invalid_request', 'redirect_uri is not one that the client registered', {
      reason: 'redirect-uri-not-registered',
    });
  }
  if (client.origin !== 'configured') await checkRedirectUri(uri, 'invalid_request', { settings });
  return uri;
}

interface Asked {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly params: Params;
  readonly request: InboundRequest;
}

async function begin(
  leg: ProviderLeg,
  { client, redirectUri, params, request }: Asked,
  settings: ServerConfig,
  people: BrowserPeople,
): Promise<Reply> {
  const { addresses, flows } = leg;
  const { state, challenge } = checked(params, addresses);
  const browser = leg.browsers.give(request, BROWSER_S);
  const isAsked = needsConsent(client, settings);
  const flow: Flow = {
    clientId: client.id,
    redirectUri,
    state,
    scope: scopeOf(params, client, settings.idp.scopes),
    challenge,
    hints: hintsOf(params),
    verifier: newSecret(),
    nonce: newSecret(),
    browser: digest(browser.id),
    isBound: isAsked,
    begunAt: Date.now(),
  };
  if (!isAsked) return toProvider(leg, flow, browser.headers);
  if (params.get('prompt') === 'none')
    throw new OAuthError('consent_required', 'the person must be asked for consent');
  const person = await people.find(request);
  const sealed = await flows.seal('consent', flow);
  const page = consentPage(client, flow, { sealed, baseUrl: addresses.base, person });
  return { ...page, headers: { ...page.headers, ...browser.headers } };
}

/** @throws OAuthError invalid_request for one that is too long, and a max_age that is not a number of seconds */
function hintsOf(params: Params): Flow['hints'] {
  const hints: Record<string, string> = {};
  for (const name of HINTS) {
    const hint = params.get(name);
    const most = name === 'id_token_hint' ? MAX_TOKEN_CHARS : MAX_HINT_CHARS;
    if (hint !== undefined && hint.length > most)
      throw new OAuthError('invalid_request', `${name} must have at most ${most} characters`, {
        reason: 'hint-too-long',
      });
    if (hint !== undefined) hints[name] = hint;
  }
  if (hints['max_age'] !== undefined && !/^\d{1,9}$/.test(hints['max_age']))
    throw new OAuthError('invalid_request', 'max_age must be a number of seconds', { reason: 'max-age' });
  return hints;
}

/** A client that anyone could have registered may have been made by an attacker, unless the code can only reach this person's machine. */
function needsConsent(
  { id, origin, redirectUris }: OAuthClient,
  { consent, trustedClients }: ServerConfig,
): boolean {
  if (trustedClients.includes(id) || consent === 'never') return false;
  if (consent === 'always') return true;
  // A client of a plugin is the operator's own.
  if (origin === 'token' || origin === 'trusted' || origin === 'configured') return false;
  return !redirectUris.every(isLoopbackRedirect);
}

function checked(params: Params, addresses: Addresses): { state: string; challenge: string } {
  for (const name of ['request', 'request_uri'])
    if (params.get(name) !== undefined)
      throw new OAuthError(`${name}_not_supported`, `${name} is not supported`);
  if (params.get('response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'response_type must be code', {
      reason: 'response-type',
    });
  const state = params.get('state') ?? '';
  if (state.length < MIN_STATE_CHARS || state.length > MAX_STATE_CHARS)
    throw new OAuthError(
      'invalid_request',
      `state must have ${MIN_STATE_CHARS} to ${MAX_STATE_CHARS} characters`,
      { reason: 'state-length' },
    );
  const challenge = params.get('code_challenge') ?? '';
  // Without a method it would be plain (RFC 7636 §4.3).
  if (params.get('code_challenge_method') !== 'S256')
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256', {
      reason: 'code-challenge-method',
    });
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge))
    throw new OAuthError(
      'invalid_request',
      'code_challenge must be the S256 of the code_verifier: 43 characters',
      { reason: 'code-challenge' },
    );
  refuseOtherResource(params, addresses, `resource must be ${addresses.audience}`);
  return { state, challenge };
}
