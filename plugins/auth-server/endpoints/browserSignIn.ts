import { GatewayError } from 'pegboard';
import type { InboundRequest, Reply } from 'pegboard';
import { html, page } from '../../kit/http/page.ts';
import { securityHeaders } from '../../kit/http/securityHeaders.ts';
import type { BrowserSignIn } from '../../contracts/oauth.ts';
import type { BrowserPeople, BrowserPerson } from '../state/browserPeople.ts';
import { digest, newSecret } from '../../kit/secrets/secrets.ts';
import { discovering } from '../web/discovering.ts';
import { BROWSER_S, toProvider } from './toProvider.ts';
import type { ProviderLeg } from './toProvider.ts';

/** One path: `//host` would lead to another host, and so would a backslash, which browsers read as a slash. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;

/** Asks who is at a browser, at the identity provider if it is not known. Source: RFC 9700 §4.7 */
export function browserSignIn(leg: ProviderLeg, people: BrowserPeople): BrowserSignIn {
  return {
    confirm: async (request, caller, returnTo) => {
      if (!OWN_PATH.test(returnTo) || !isBelow(leg.addresses.base, returnTo))
        throw new GatewayError('REQUEST_MALFORMED', 'a sign-in can only return to a path of this gateway');
      const { issuer } = leg.provider;
      if (issuer === undefined) throw discovering();
      if (caller.issuer !== issuer) return 'unknowable';
      const person = await people.find(request);
      if (person === undefined) return withHeaders(leg, await toSignIn(leg, request, returnTo));
      if (person.subject === caller.subject) return undefined;
      // Else the provider would answer for the same person again.
      const other = await toSignIn(leg, request, returnTo, { prompt: 'login' });
      return withHeaders(leg, otherPersonPage(person, other));
    },
  };
}

/** Whether the path stays below baseUrl once its dots are resolved. */
function isBelow(base: string, path: string): boolean {
  return `${new URL(base + path).href}/`.startsWith(`${new URL(base).href.replace(/\/$/, '')}/`);
}

/** Begins a sign-in for no client. @param returnTo the path at which it ends */
export async function toSignIn(
  leg: ProviderLeg,
  request: InboundRequest,
  returnTo: string,
  hints: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const browser = leg.browsers.give(request, BROWSER_S);
  const flow = {
    returnTo,
    hints,
    verifier: newSecret(),
    nonce: newSecret(),
    browser: digest(browser.id),
    begunAt: Date.now(),
  };
  return toProvider(leg, flow, browser.headers);
}

/** It does not name the person whom the link belongs to. @param other the redirect to the identity provider */
function otherPersonPage({ shown }: BrowserPerson, { headers = {} }: Reply): Reply {
  const { location = '', ...cookies } = headers;
  const shownPage = page(
    'This link belongs to another person',
    html`${shown === undefined ? undefined : html`<p>You are signed in here as <strong>${shown}</strong>.</p>`}
      <p>
        Nothing was connected. If another person sent you this link, close this page: with it, they could work
        with your account.
      </p>
      <p>If you have asked for it yourself, under another name, sign in under that name.</p>
      <p><a class="button" href="${location}">Sign in under another name</a></p>`,
    { status: 403 },
  );
  return { ...shownPage, headers: { ...shownPage.headers, ...cookies } };
}

function withHeaders({ addresses }: ProviderLeg, reply: Reply): Reply {
  return {
    ...reply,
    headers: { ...securityHeaders(addresses.isHttps), 'cache-control': 'no-store', ...reply.headers },
  };
}
