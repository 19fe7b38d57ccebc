import type { Reply } from 'pegboard';
import { html, page } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { OAuthClient } from '../../contracts/oauth.ts';
import type { Flow } from '../state/flows.ts';

const WHAT: Readonly<Record<string, string>> = {
  openid: 'who you are',
  profile: 'your name',
  email: 'your e-mail address',
  groups: 'the groups you belong to',
  offline_access: 'access while you are away',
};

/** Asks the person whether a client that anyone could have registered may act for them. Source: MCP 2025-11-25, Security Best Practices, Confused Deputy */
export function consentPage(
  { id, name, origin }: OAuthClient,
  { redirectUri, scope }: Flow,
  sealed: string,
): Reply {
  const { protocol, host } = new URL(redirectUri);
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
        <dt>It gets</dt>
        <dd>
          <ul>
            ${scopeItems(scope)}
          </ul>
        </dd>
      </dl>
      <p>Allow this only if you have just started signing in from that application.</p>
      <form method="post" action="/oauth/consent">
        <input type="hidden" name="flow" value="${sealed}" />
        <button name="decision" value="allow">Allow</button
        ><button class="quiet" name="decision" value="deny">Cancel</button>
      </form>`,
  );
}

/** What scopes give, in words for people. */
export function scopeItems(scope: string): readonly Html[] {
  return scope.split(' ').map((one) => html`<li>${WHAT[one] ?? one}</li>`);
}
