import type { NamedEndpoint } from './endpointOf.ts';
import { Failure, SIGN_IN_NEEDED } from './failure.ts';

/** A gateway refused a request because there is no sign-in, or it has expired. */
export class SignInNeeded extends Failure {
  /** As errors of a transport have it. */
  readonly data = { status: 401 };

  constructor(endpoint: NamedEndpoint, hasExpired = false) {
    const { url, source } = endpoint;
    const what = hasExpired ? `the sign-in at ${url} has expired` : `${url} wants a sign-in`;
    super(`${what} (${source}); run: ${signInCommand(endpoint)}`, SIGN_IN_NEEDED);
  }
}

/** What to type to sign in there. */
export function signInCommand({ url, source }: NamedEndpoint): string {
  const [, context] = /^context (.+)$/.exec(source) ?? [];
  const named = context === undefined ? '' : ` --context ${context}`;
  return `pegboard auth login${source === '--endpoint' ? ` --endpoint ${url}` : named}`;
}
