import * as oauth from 'oauth4webapi';
import { isGatewayError, messageOf } from 'pegboard';
import type { Reply } from 'pegboard';
import { html, page } from '../../kit/http/page.ts';
import type { Networks } from '../discovery/network.ts';
import type { Grants } from '../grants/store/grants.ts';
import type { Askers } from './askers.ts';
import type { BrowserEndpoint } from './browserRoute.ts';
import type { Connections, ServerFault } from './connections.ts';
import { failurePage } from './failurePage.ts';
import type { FailureName } from './failurePage.ts';
import { digest } from '../../kit/secrets/secrets.ts';
import type { Departure, FlowStore, SignInFlow } from './flowStore.ts';
import { redeemCode } from './redeemCode.ts';
import type { OwnRegistrations } from './ownRegistrations.ts';
import { revokeGrant } from './revokeGrant.ts';
import { isUnknownClient, serverFault, serverWords } from './serverRequest.ts';

const HAS_LEFT = 'the sign-in of its asker at this gateway has ended';

export interface CallbackParts {
  readonly networks: Networks;
  readonly flows: FlowStore;
  readonly askers: Askers;
  readonly grants: Grants;
  readonly registrations: OwnRegistrations;
  readonly connections: Connections;
}

/** The return of the browser from an authorization server. Nothing that it brings counts before state, browser and `iss` are
 *  verified. @param path callbackPath. Source: RFC 6749 §4.1.2; RFC 9207 §2.4 */
export function callback(path: string, parts: CallbackParts): BrowserEndpoint {
  return {
    method: 'GET',
    path,
    handle: async (http, request) => {
      const state = http.query.get('state') ?? '';
      if (state === '') return failurePage('no-callback');
      const arrived = await parts.flows.arrive(state);
      if (arrived === undefined) return failurePage('expired');
      const { departure, flow } = arrived;
      const refused = (failure: FailureName, cause: string, error?: unknown): Reply =>
        failurePage(failure, { server: flow.server, issuer: flow.issuer, cause, ...serverWords(error) });
      const browser = parts.askers.browserIn(request);
      if (browser === undefined || digest(browser) !== departure.browser)
        return refused('expired', 'it began in another browser');
      let answer: URLSearchParams;
      try {
        answer = oauth.validateAuthResponse(serverOf(flow), { client_id: flow.client.id }, http.query, state);
      } catch (error) {
        return refused('denied', faultIn(error), error);
      }
      if ((answer.get('code') ?? '') === '') return refused('no-callback', 'there is no code');
      const hasLeft = (): Promise<boolean> => parts.askers.haveLeft(flow);
      if (await hasLeft()) return refused('ended', HAS_LEFT);
      if (!(await parts.flows.close(departure))) return failurePage('expired');
      try {
        const grant = await redeemCode({ flow, departure, answer }, parts.networks);
        await parts.grants.put(flow.holder, flow.server, grant);
        // Asked once more after it was stored: from now on the end of the session finds it.
        if (await hasLeft()) {
          await parts.grants.drop(flow.holder.owner, flow.server);
          await revokeGrant(grant, parts.networks);
          return refused('ended', HAS_LEFT);
        }
      } catch (error) {
        if (isGatewayError(error)) throw error;
        if (isUnknownClient(error))
          await parts.registrations.forget(flow.issuer, flow.redirectUri, flow.client);
        return refused('failed', serverFault(error), error);
      }
      return arrivedAt(departure, flow, await parts.connections.connectFor(flow));
    },
  };
}

function serverOf({ issuer, endpoints, namesIssuer }: SignInFlow): oauth.AuthorizationServer {
  return {
    issuer,
    token_endpoint: endpoints.token,
    authorization_response_iss_parameter_supported: namesIssuer,
  };
}

/** The error code of an answer that is verified, for the log; nothing else of it. */
function faultIn(error: unknown): string {
  if (error instanceof oauth.AuthorizationResponseError)
    return /^[a-z_]{1,60}$/.test(error.error) ? error.error : 'an error';
  return messageOf(error);
}

function arrivedAt({ redirect }: Departure, { server }: SignInFlow, fault: ServerFault | undefined): Reply {
  if (redirect !== undefined) {
    const url = new URL(redirect);
    url.searchParams.set('server', server);
    return { status: 303, headers: { location: url.href } };
  }
  return page(
    'Signed in',
    html`<p>You are signed in at <strong>${server}</strong>.</p>
      ${fault === undefined ? undefined : html`<p class="fault">It cannot be used yet: ${fault.words}</p>`}
      <p>You can close this window and return to your application.</p>`,
  );
}
