import type { NamedEndpoint } from './endpointOf.ts';
import { Failure, NoGateway } from './failure.ts';
import { reasonOf } from './reasonOf.ts';
import { SignInNeeded } from './signInNeeded.ts';

/** Why a gateway did not answer, in words that say what to type. */
export function gatewayUnreachable(error: unknown, endpoint: NamedEndpoint): Failure {
  if (error instanceof Failure) return error;
  const { url, source } = endpoint;
  const status = (error as { readonly data?: { readonly status?: number } }).data?.status;
  const reason = reasonOf(error);
  if (status === 401 || /unauthorized/i.test(reason)) return new SignInNeeded(endpoint);
  if (/CERT|certificate|self.signed/i.test(reason))
    return new Failure(`${url}: ${reason}; name the authority's PEM file with --extra-ca-file (${source})`);
  if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ECONNRESET/.test(reason))
    return new NoGateway(`no gateway answers at ${url} (${source}): ${reason}; ${absenceFix(endpoint)}`);
  return new Failure(`${url} does not answer as an MCP server (${source}): ${reason}`);
}

/** What to type if no gateway answers. */
export function absenceFix({ isOwn }: NamedEndpoint): string {
  return isOwn ? 'start it with: pegboard serve' : 'is the address right, and is it running?';
}
