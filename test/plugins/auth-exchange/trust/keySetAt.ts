import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { guardedFetch } from '../../../../plugins/kit/net/index.ts';
import type { GuardedFetchParts } from '../../../../plugins/kit/net/index.ts';
import { NETWORK_BOUNDS } from '../../../../plugins/kit/oauth/networkBounds.ts';
import { KeySet } from '../../../../plugins/auth-exchange/trust/keySet.ts';
import { defer } from '../../../support/cleanup.ts';
import { serveWithOutages } from '../../../support/serveWithOutages.ts';
import type { Handle } from '../../../support/serveWithOutages.ts';

export const MINUTE = 60_000;
/** No test waits for it: only the clock of the test passes it. */
export const LONG = 10 * MINUTE;
export const SHORT = 30;

interface Options {
  readonly url: string;
  readonly coolDownMs?: number;
  readonly network?: Partial<GuardedFetchParts>;
}

/** A key set with a clock that only the test moves. */
export function keySetAt({ url, coolDownMs = LONG, network = {} }: Options) {
  let ms = 0;
  const end = new AbortController();
  defer(() => end.abort());
  const failures: unknown[] = [];
  const keys = new KeySet({
    url: `${url}/keys`,
    fetch: guardedFetch({ ...NETWORK_BOUNDS, allowPrivate: true, ...network }),
    signal: end.signal,
    failed: (error) => failures.push(error),
    coolDownMs,
    now: () => ms,
  });
  return {
    failures,
    later: (more: number) => void (ms += more),
    end: () => end.abort(),
    verify: async (token: string): Promise<'accepted'> => {
      await keys.verify(token, { algorithms: ['ES256'] });
      return 'accepted';
    },
    /** What the token is refused with. */
    refusal: async (token: string): Promise<Error> => {
      try {
        await keys.verify(token, { algorithms: ['ES256'] });
      } catch (error) {
        return error as Error;
      }
      throw new Error('the token was accepted');
    },
  };
}

/** A site with this answer at `/keys`, and a token that the published key has signed. */
export async function siteWith(answer: (jwk: object) => Handle) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one' };
  let handle = answer(jwk);
  const server = await serveWithOutages((...request) => handle(...request));
  return {
    ...server,
    privateJwk: { ...(await exportJWK(privateKey)), kid: 'one' },
    token: await new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey),
    /** Makes this the answer from now on. */
    answer: (body: string | ((jwk: object) => string)) => {
      handle = json(typeof body === 'string' ? body : body(jwk));
    },
  };
}

/** One answer of a site. */
export function json(text: string, status = 200, headers: Readonly<Record<string, string>> = {}): Handle {
  return (_, res) => res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}
/** A key set as text. */
export const setOf = (...keys: readonly unknown[]): string => JSON.stringify({ keys });
