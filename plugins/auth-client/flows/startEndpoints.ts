import type { InboundRequest, Log, Reply } from 'pegboard';
import type { AuthorizationServer, BrowserSignIn } from '../../contracts/oauth.ts';
import type { BrowserCookie } from '../../kit/http/browserCookie.ts';
import type { HttpExchange } from '../../contracts/http.ts';
import { acceptedRedirect } from './acceptedRedirect.ts';
import { authorizationUrl } from './authorizationUrl.ts';
import type { BrowserEndpoint } from './browserRoute.ts';
import { failurePage } from './failurePage.ts';
import { FLOW_SECONDS } from './flowStore.ts';
import { digest, newSecret } from '../../kit/secrets/secrets.ts';
import type { FlowStore, SignInFlow } from './flowStore.ts';
import { confirmAsker } from './confirmAsker.ts';
import { hasAskerLeft } from './hasAskerLeft.ts';
import { START_PATH } from './ownAddresses.ts';

export interface StartParts {
  readonly flows: FlowStore;
  readonly cookie: BrowserCookie;
  readonly allowlist: () => readonly string[];
  readonly browserSignIn: () => BrowserSignIn | undefined;
  readonly ownSignIn: () => AuthorizationServer | undefined;
  readonly log: Log;
}

/** `GET /oauth/proxy/start`: the link of core_auth_login. It can be opened again until a sign-in is complete. `POST` is the button
 *  of the page that people see whose browser cannot prove who they are. */
export function startEndpoints(parts: StartParts): readonly BrowserEndpoint[] {
  const handle = async (http: HttpExchange, request: InboundRequest): Promise<Reply> => {
    const link = linkIn(http.query);
    if (link.state === undefined) return failurePage('no-link');
    const flow = await parts.flows.find(link.state);
    if (flow === undefined) return failurePage('expired');
    if (await hasAskerLeft(flow, parts.ownSignIn())) return failurePage('ended');
    const browser = parts.cookie.give(request, FLOW_SECONDS);
    const confirmed = await confirmAsker(
      {
        http,
        request,
        flow,
        path: START_PATH,
        browser: browser.id,
        known: parts.cookie.idOf(request),
      },
      parts.browserSignIn(),
    );
    if (confirmed !== undefined)
      return { ...confirmed, headers: { ...browser.headers, ...confirmed.headers } };
    const location = await depart(parts, {
      state: link.state,
      redirect: link.redirect,
      flow,
      browser: browser.id,
    });
    return { status: http.req.method === 'POST' ? 303 : 302, headers: { location, ...browser.headers } };
  };
  return [
    { method: 'GET', path: START_PATH, handle },
    { method: 'POST', path: START_PATH, handle },
  ];
}

interface Leaving {
  readonly state: string;
  readonly redirect: string | undefined;
  readonly flow: SignInFlow;
  readonly browser: string;
}

async function depart(
  { flows, allowlist, log }: StartParts,
  { state: handle, redirect, flow, browser }: Leaving,
): Promise<string> {
  const accepted = redirect === undefined ? undefined : acceptedRedirect(redirect, allowlist());
  if (redirect !== undefined && accepted === undefined)
    log.warn('the redirect of a sign-in link is not in postLoginRedirectAllowlist; it is dropped', {
      server: flow.server,
    });
  const verifier = newSecret();
  const state = await flows.depart(handle, flow, {
    browser: digest(browser),
    verifier,
    ...(accepted !== undefined && { redirect: accepted }),
  });
  return authorizationUrl(flow, state, verifier);
}

function linkIn(query: URLSearchParams): {
  readonly state: string | undefined;
  readonly redirect: string | undefined;
} {
  const value = (name: string): string | undefined => query.get(name) || undefined;
  return { state: value('state'), redirect: value('redirect') };
}
