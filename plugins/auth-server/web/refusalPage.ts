import type { Reply } from 'pegboard';
import { html, page } from '../../kit/http/page.ts';
import type { OAuthError } from '../../kit/oauth/oauthError.ts';

/** A refusal for a person in a browser, with what to do next. */
export function refusalPage({ message, status, reply }: OAuthError): Reply {
  const isAway = status === 503 || status === 429;
  const next = isAway
    ? 'Nothing is lost. Wait a minute, then load this page again.'
    : 'Return to your application and begin the sign-in there again. If that does not help, show this page to the operator of this gateway.';
  const shown = page(
    'You are not signed in',
    html`<p>${sentence(message)}</p>
      <p>${next}</p>`,
    { status },
  );
  return { ...shown, headers: { ...reply.headers, ...shown.headers } };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
