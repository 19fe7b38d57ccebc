import type { Reply } from 'pegboard';
import { html, page } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { OAuthClient } from '../../contracts/oauth.ts';
import { isLoopbackRedirect } from '../clients/redirectUri.ts';
import type { BrowserPerson } from '../state/browserPeople.ts';
import type { Flow } from '../state/flows.ts';

const WHAT: Readonly<Record<string, string>> = {
  openid: 'who you are',
  profile: 'your name',
  email: 'your e-mail address',
  groups: 'the groups you belong to',
  offline_access: 'access while you are away',
};

export interface ConsentFacts {
  /** The flow: it lets the form be sent. */
  readonly sealed: string;
  readonly baseUrl: string;
  /** Who has signed in at this browser; undefined if no one has, or it shall not be said. */
  readonly person: BrowserPerson | undefined;
}

/** Asks the person whether a client that anyone could have registered may act for them. Source: MCP 2025-11-25, Security Best Practices, Confused Deputy */
export function consentPage(
  { id, name, origin }: OAuthClient,
  { redirectUri, scope }: Flow,
  { sealed, baseUrl, person }: ConsentFacts,
): Reply {
  const about =
    origin === 'document'
      ? html`<dt>Published at</dt>
          <dd>${id}</dd>`
      : undefined;
  const who =
    person?.shown === undefined
      ? undefined
      : html`<dt>You are signed in here as</dt>
          <dd>${person.shown}</dd>`;
  return page(
    'Allow access?',
    html`<p>
        <strong>${name ?? id}</strong> wants to use the tools of the gateway
        <strong>${new URL(baseUrl).host}</strong> in your name.
      </p>
      <dl>
        ${who} ${about}
        <dt>You will be sent to</dt>
        <dd>${placeOf(redirectUri)}</dd>
        <dt>It gets</dt>
        <dd>
          <ul>
            ${scopeItems(scope)}
          </ul>
        </dd>
      </dl>
      <p>Allow this only if you have just started signing in from that application.</p>
      ${decisionForm(sealed)}`,
  );
}

/** What scopes give, in words for people. */
export function scopeItems(scope: string): readonly Html[] {
  return scope.split(' ').map((one) => html`<li>${WHAT[one] ?? one}</li>`);
}

/** Where the browser goes next; the port of a loopback address says nothing to a person. */
function placeOf(redirectUri: string): string {
  if (isLoopbackRedirect(redirectUri)) return 'this computer';
  const { protocol, host } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? host : `an application on this computer (${protocol})`;
}

/** Allow or cancel: what `POST /oauth/consent` takes, named without a path because baseUrl may have one. */
export function decisionForm(sealed: string): Html {
  return html`<form method="post" action="consent">
    <input type="hidden" name="flow" value="${sealed}" />
    <button name="decision" value="allow">Allow</button
    ><button class="quiet" name="decision" value="deny">Cancel</button>
  </form>`;
}
