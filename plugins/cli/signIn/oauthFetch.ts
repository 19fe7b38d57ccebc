import type { Invocation } from 'pegboard';
import { trusting } from '../trusting.ts';

/** Longer than the gateway waits for its identity provider: what is given up here would still use up a refresh token there. */
const TIMEOUT_MS = 60_000;
/** Documents and token answers are far smaller. */
const MAX_BYTES = 64 * 1024;

export type OauthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** fetch for the requests of a sign-in: bounded in time and size, trusting --extra-ca-file. @throws Failure */
export async function oauthFetch(invocation: Invocation): Promise<OauthFetch> {
  const trust = await trusting(invocation);
  return async (url, init) => {
    const late = AbortSignal.timeout(TIMEOUT_MS);
    const signal = init?.signal ? AbortSignal.any([late, init.signal]) : late;
    const answer = await fetch(url, { ...trust, ...init, signal });
    const { status, headers } = answer;
    const body = await bounded(answer);
    return new Response(body.length === 0 ? null : body, { status, headers });
  };
}

async function bounded({ body, url }: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    if ((size += chunk.length) > MAX_BYTES) throw new Error(`${url} answered with over ${MAX_BYTES} bytes`);
  }
  return Buffer.concat(chunks);
}
