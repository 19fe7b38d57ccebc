import type { Reply } from 'pegboard';
import type { Client } from '../clients/client.ts';
import type { Flow } from '../state/flows.ts';
import { digest } from '../state/secrets.ts';
import { knownBrowser } from '../web/browserOf.ts';
import { OAuthError } from '../web/oauthError.ts';
import { readForm } from '../web/oauthRoute.ts';
import type { Endpoint } from '../web/oauthRoute.ts';
import { html, page } from '../web/page.ts';
import { errorRedirect, toProvider } from './authorize.ts';
import type { AuthorizeParts } from './authorize.ts';

const WHAT: Readonly<Record<string, string>> = {
  openid: 'who you are',
  profile: 'your name',
  email: 'your e-mail address',
  groups: 'the groups you belong to',
  offline_access: 'access while you are away',
};

/** Asks the person whether a client that anyone could have registered may act for them. Source: MCP security best practices, confused deputy */
export function consentPage(
  { id, name, origin }: Client,
  { redirectUri, scope }: Flow,
  secret: string,
): Reply {
  const { protocol, host } = new URL(redirectUri);
  const scopes = scope.split(' ').map((one) => html`<li>${WHAT[one] ?? one}</li>`);
  const about =
    origin === 'document'
      ? html`<dt>Published at</dt>
          <dd>${id}</dd>`
      : undefined;
  return page(
    'Allow access?',
    html`<p><strong>${name ?? id}</strong> wants to use the tools of this gateway in your name.</p>
      <dl>
        ${about}
        <dt>You will be sent to</dt>
        <dd>${host || protocol}</dd>
        <dt>It learns</dt>
        <dd>
          <ul>
            ${scopes}
          </ul>
        </dd>
      </dl>
      <p>Allow this only if you have just started signing in from that application.</p>
      <form method="post" action="/oauth/consent">
        <input type="hidden" name="flow" value="${secret}" />
        <button name="decision" value="allow">Allow</button
        ><button class="quiet" name="decision" value="deny">Cancel</button>
      </form>`,
  );
}

/** `POST /oauth/consent`: the person's decision, only from the browser that was shown the page. */
export function consentEndpoint(parts: AuthorizeParts): Endpoint {
  return {
    method: 'POST',
    path: '/oauth/consent',
    handle: async (exchange) => {
      const form = await readForm(exchange);
      const flow = await parts.flows.take(`consent ${form.get('flow') ?? ''}`);
      const browser = knownBrowser(exchange.request, parts.addresses.isHttps);
      if (flow === undefined || browser === undefined || digest(browser) !== flow.browser) {
        throw new OAuthError(
          'access_denied',
          'this page is not the one that was shown last; begin the sign-in again',
          {
            status: 403,
            reason: 'consent-of-other-browser',
          },
        );
      }
      if (form.get('decision') === 'allow') return toProvider(parts, flow);
      const denied = new OAuthError('access_denied', 'the person did not allow it');
      return errorRedirect(parts.addresses, flow.redirectUri, flow.state, denied);
    },
  };
}
