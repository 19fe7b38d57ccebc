import type { InboundRequest, Log, Reply } from 'pegboard';
import type { HttpExchange } from '../../contracts/http.ts';
import { acceptedRedirect } from './acceptedRedirect.ts';
import type { Askers } from './askers.ts';
import { authorizationUrl } from './authorizationUrl.ts';
import type { BrowserEndpoint } from './browserRoute.ts';
import { failurePage } from './failurePage.ts';
import { digest, newSecret } from '../../kit/secrets/secrets.ts';
import type { FlowStore, SignInFlow } from './flowStore.ts';
import { START_PATH } from './ownAddresses.ts';

/** `GET /oauth/proxy/start`: the link of core_auth_login. It can be opened again until a sign-in is complete. `POST` is the button
 *  of the page that people see whose browser cannot prove who they are.
 *  @param allowlist what a link may lead to after the sign-in */
export function startEndpoints(
  flows: FlowStore,
  askers: Askers,
  allowlist: () => readonly string[],
  log: Log,
): readonly BrowserEndpoint[] {
  const handle = async (http: HttpExchange, request: InboundRequest): Promise<Reply> => {
    const link = linkIn(http.query);
    if (link.state === undefined) return failurePage('no-link');
    const flow = await flows.find(link.state);
    if (flow === undefined) return failurePage('expired');
    if (await askers.haveLeft(flow)) return failurePage('ended');
    const browser = askers.give(request);
    const confirmed = await askers.confirm({ http, request, flow, path: START_PATH, browser: browser.id });
    if (confirmed !== undefined)
      return { ...confirmed, headers: { ...browser.headers, ...confirmed.headers } };
    const redirect = acceptedIn(link.redirect, flow);
    const location = await depart(flows, link.state, flow, { browser: browser.id, redirect });
    return { status: http.req.method === 'POST' ? 303 : 302, headers: { location, ...browser.headers } };
  };
  const acceptedIn = (redirect: string | undefined, { server }: SignInFlow): string | undefined => {
    const accepted = redirect === undefined ? undefined : acceptedRedirect(redirect, allowlist());
    if (redirect !== undefined && accepted === undefined)
      log.warn('the redirect of a sign-in link is not in postLoginRedirectAllowlist; it is dropped', {
        server,
      });
    return accepted;
  };
  return [
    { method: 'GET', path: START_PATH, handle },
    { method: 'POST', path: START_PATH, handle },
  ];
}

async function depart(
  flows: FlowStore,
  handle: string,
  flow: SignInFlow,
  { browser, redirect }: { readonly browser: string; readonly redirect: string | undefined },
): Promise<string> {
  const verifier = newSecret();
  const state = await flows.depart(handle, flow, {
    browser: digest(browser),
    verifier,
    ...(redirect !== undefined && { redirect }),
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
