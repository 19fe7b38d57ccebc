import { UnsecuredJWT } from 'jose';
import { guardedFetch } from '../../plugins/kit/net/index.ts';
import type { GuardedFetchParts } from '../../plugins/kit/net/guardedFetch.ts';
import { OAuthError } from '../../plugins/kit/oauth/oauthError.ts';
import { Downstream } from '../../plugins/kit/oauth/downstream.ts';
import type { DownstreamToken } from '../../plugins/kit/oauth/downstream.ts';
import type { ExchangeTarget } from '../../plugins/kit/oauth/exchangeTarget.ts';
import { makeDirectory } from './directory.ts';
import { typeUri } from './exchangeGateway.ts';
import { captureLog } from './log.ts';
import type { CapturedLog } from './log.ts';

export interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly reason: string;
}
export interface DownstreamAt {
  /** Exchanges the token `subject`. */
  readonly exchange: () => Promise<DownstreamToken>;
  /** How an exchange is refused. @throws Error if it is not */
  readonly refusal: () => Promise<
    Refusal & { readonly retryAfter: string | undefined; readonly text: string }
  >;
  readonly downstream: Downstream;
  readonly target: ExchangeTarget;
  readonly log: CapturedLog;
  /** What the log says about the last refusal. */
  readonly detail: () => unknown;
}

/** The client of a downstream provider at `<url>/token`, which is the issuer. @param more of the target */
export function downstreamAt(
  url: string,
  more: Partial<ExchangeTarget> = {},
  network: Partial<GuardedFetchParts> = {},
): DownstreamAt {
  const log = captureLog();
  const directory = makeDirectory({ secret: 'secret of the gateway\n' });
  const fetch = guardedFetch({
    allowPrivate: true,
    allowHttp: 'loopback',
    timeoutMs: 5_000,
    maxBytes: 100_000,
    ...network,
  });
  const target: ExchangeTarget = {
    name: 'cluster-b',
    endpoint: `${url}/token`,
    expectedIssuer: url,
    connectorId: 'a',
    scopes: 'openid groups',
    client: { id: 'pegboard', secret: { file: 'secret' } },
    ...more,
  };
  const downstream = new Downstream({
    fetch,
    directory: () => directory.path,
    secrets: () => undefined,
    privateKey: 'a.b.allowPrivateIP',
    log,
  });
  const exchange = (): Promise<DownstreamToken> =>
    downstream.exchange(target, 'subject', typeUri('access_token'));
  return {
    exchange,
    downstream,
    target,
    log,
    refusal: () =>
      exchange().then(
        ({ token }) => {
          throw new Error(`not refused: ${token}`);
        },
        (error: unknown) => {
          if (!(error instanceof OAuthError)) throw error;
          const { status, error: code, reason, headers, message: text } = error;
          return { status, error: code, reason, retryAfter: headers['retry-after'], text };
        },
      ),
    detail: () => log.having('gave no token').at(-1)?.data['detail'],
  };
}

/** What a provider at this address answers, with these members added, replaced, or removed if undefined. */
export function goodAnswer(
  issuer: string,
  changes: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  return {
    access_token: new UnsecuredJWT({ iss: issuer, sub: 'alice', exp }).encode(),
    issued_token_type: typeUri('id_token'),
    token_type: 'bearer',
    expires_in: 600,
    ...changes,
  };
}
