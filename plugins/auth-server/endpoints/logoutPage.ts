import type { Reply } from 'pegboard';
import type { ListedSignIn } from '../../contracts/oauth.ts';
import { html, page } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { BrowserPerson } from '../state/browserPeople.ts';

/** Values of the field `end`, besides the id of a sign-in. */
export const ALL = 'all';
export const ALL_AND_PROVIDER = 'provider';

export interface LogoutFacts {
  /** Where the form is sent. */
  readonly address: string;
  /** It lets the form be sent. */
  readonly proof: string;
  /** The identity provider's; undefined if no session can be ended there. */
  readonly providerHost: string | undefined;
}

/** Lists a person's sign-ins, each with a button that ends it. */
export function logoutPage(
  { shown }: BrowserPerson,
  signIns: readonly ListedSignIn[],
  { address, proof, providerHost }: LogoutFacts,
): Reply {
  const form = (content: Html): Html =>
    html`<form method="post" action="${address}">
      <input type="hidden" name="proof" value="${proof}" />
      ${content}
    </form>`;
  const one = ({ id, clientName, clientId, since, lastUsed }: ListedSignIn): Html => {
    const name = clientName ?? clientId;
    return html`<dt>${name}</dt>
      <dd>
        since ${timeText(since)}, last used ${timeText(lastUsed)}<br />
        <button class="quiet" name="end" value="${id}" aria-label="Sign out ${name}">Sign out</button>
      </dd>`;
  };
  const list =
    signIns.length === 0
      ? html`<p>No application is signed in as you.</p>`
      : form(html`<dl>${signIns.map(one)}</dl>`);
  return page(
    'Sign out',
    html`${shown === undefined ? undefined : html`<p>You are signed in here as <strong>${shown}</strong>.</p>`}
    ${list}
    ${form(
      providerHost === undefined
        ? html`<button name="end" value="${ALL}">Sign out of all</button>
            <p class="note">All of these applications, and this browser.</p>`
        : html`<button name="end" value="${ALL_AND_PROVIDER}">Sign out of all</button>
            <p class="note">
              All of these applications, this browser, and your session at ${providerHost}, which other sites
              may use, too.
            </p>
            <button class="quiet" name="end" value="${ALL}">All but that session</button>
            <p class="note">
              The session at ${providerHost} stays: all who use this browser can sign in as you again.
            </p>`,
    )}`,
  );
}

/** The answer to a form that this browser was not shown, or not to this person. */
export function nothingEndedPage(address: string): Reply {
  return page(
    'Nothing was signed out',
    html`<p>This page was not the one that was shown here last.</p>
      <p><a class="button" href="${address}">Open it again</a></p>`,
    { status: 403 },
  );
}

export function signedOutPage(): Reply {
  return page(
    'You are signed out',
    html`<p>Applications that were signed in as you ask you to sign in again. You can close this page.</p>`,
  );
}

/** A time to the minute: `2026-11-29 06:24 UTC`. */
function timeText(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}
