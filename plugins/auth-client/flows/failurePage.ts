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

/** @param facts of the sign-in, if it is known: they are for the log only */
export function failurePage(failure: FailureName, facts?: LogData): FailureReply {
  return { ...page('Sign-in', html`<p>${FAILURES[failure]}</p>`, { status: 400 }), failure, facts };
}
