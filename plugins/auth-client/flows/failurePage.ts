import type { LogData, Reply } from 'pegboard';
import { html, page } from '../../kit/http/page.ts';

/** What a browser is told. Never what an authorization server has said. Source: requirement signIn.path.callback */
export const FAILURES = {
  'no-link': 'Invalid sign-in link: missing required parameters',
  expired: 'Authentication session expired. Please try again.',
  ended:
    'Your sign-in at this gateway has ended, so nothing was connected. Sign in to this gateway again, then ask for a new link.',
  denied: 'Authentication was denied or failed. Please try again.',
  'no-callback': 'Invalid callback: missing required parameters',
  failed: 'Failed to complete authentication. Please try again.',
} as const;
export type FailureName = keyof typeof FAILURES;

/** The page, and data for the line in the log. */
export interface FailureReply extends Reply {
  readonly failure: FailureName;
  readonly facts: LogData | undefined;
}

/** How a person gets a new link. The page may be in another person's browser, so it names no server. */
const NEXT = html`<p>A link is good for ten minutes and for one sign-in. To get a new one, either</p>
  <ul>
    <li>tell your application, or the agent in it, to sign in there again, or</li>
    <li>type <code>pegboard auth login --server NAME</code> in a terminal.</li>
  </ul>`;

/** @param facts of the sign-in, if it is known: they are for the log only */
export function failurePage(failure: FailureName, facts?: LogData): FailureReply {
  const body = html`<p class="fault">${FAILURES[failure]}</p>
    ${failure === 'ended' ? undefined : NEXT}`;
  return { ...page('You are not signed in', body, { status: 400 }), failure, facts };
}
