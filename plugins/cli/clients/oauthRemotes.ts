import type { Invocation } from 'pegboard';
import { hideInUrl, isSecret, keptUnlessSecret } from 'pegboard/kit';
import { oauthFetch } from '../signIn/oauthFetch.ts';
import type { OauthFetch } from '../signIn/oauthFetch.ts';

/** A server behind a URL, as a client's file has it. */
export interface Remote {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}
/** Whether people sign in there by OAuth; `unknown` without a question, or without a usable answer in time. */
export type SignsIn = 'yes' | 'no' | 'unknown';

/** The time for all remotes together: a person waits for it. */
const LIMIT_MS = 3_000;
const AT_ONCE = 8;
const INIT: RequestInit = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
};

/** Asks remotes whether they refuse with protected resource metadata, in their order. Neither headers nor addresses with a secret
 *  are sent, and no redirect is followed: a remote that has these is not asked. Source: RFC 9728 §5, §3.1 @throws Failure for --extra-ca-file only */
export async function oauthRemotes(
  invocation: Invocation,
  remotes: readonly Remote[],
): Promise<readonly SignsIn[]> {
  const fetch = await oauthFetch(invocation);
  const signal = AbortSignal.timeout(LIMIT_MS);
  const within: OauthFetch = (url, init) => fetch(url, { ...init, redirect: 'manual', signal });
  const found: SignsIn[] = remotes.map(() => 'unknown');
  const waiting = remotes.map((remote, at) => ({ remote, at })).filter(({ remote }) => isAskable(remote));
  const askNext = async (): Promise<void> => {
    const next = signal.aborted ? undefined : waiting.shift();
    if (next === undefined) return;
    found[next.at] = await signsIn(next.remote.url, within).catch(() => 'unknown' as const);
    await askNext();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askNext));
  return found;
}

/** Whether it can be asked as it is: what else it wants would have to be sent. */
function isAskable({ url, headers }: Remote): boolean {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol) || url.includes('${')) return false;
  if (hideInUrl(url, keptUnlessSecret) !== url) return false;
  return Object.entries(headers).every(
    ([name, value]) => !/^authorization$/i.test(name) && !value.includes('${') && !isSecret(name, value),
  );
}

async function signsIn(url: string, fetch: OauthFetch): Promise<SignsIn> {
  const refusal = await fetch(url, INIT);
  if (refusal.status !== 401)
    return refusal.status < 300 || [404, 405].includes(refusal.status) ? 'no' : 'unknown';
  const { extractWWWAuthenticateParams, discoverOAuthProtectedResourceMetadata } =
    await import('@modelcontextprotocol/client');
  // Its address may be at another origin, which is not asked.
  if (extractWWWAuthenticateParams(refusal).resourceMetadataUrl !== undefined) return 'yes';
  return discoverOAuthProtectedResourceMetadata(url, {}, fetch).then(
    ({ authorization_servers: servers = [] }) => (servers.length > 0 ? 'yes' : 'no'),
    (error: unknown) => (isAbort(error) ? 'unknown' : 'no'),
  );
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && /^(?:Timeout|Abort)Error$/.test(error.name);
}
