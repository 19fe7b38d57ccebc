import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { STAGE, definePlugin, textResult } from '../../../kernel/index.ts';
import { OAuthError } from '../../../plugins/kit/oauth/oauthError.ts';
import { ProviderTokens } from '../../../plugins/contracts/oauth.ts';
import { startAuthServer, tokensOf } from '../../support/authServer.ts';
import type { AuthServer, AuthServerOptions } from '../../support/authServer.ts';
import { movableClock } from '../../support/clock.ts';
import { metaTool, toolsPlugin } from '../../support/edge.ts';
import { moduleOf } from '../../support/gateway.ts';
import { post, resultText, statelessCall } from '../../support/stateless.ts';
import { startTokenIssuer } from '../../support/tokenIssuer.ts';

/** Tells the id_token that may be handed on for its caller, or the access token. */
const TELLER = definePlugin({
  ...toolsPlugin('teller', []),
  requires: [ProviderTokens],
  apply: (scope) => {
    scope.addTool(
      metaTool('tell', async (_, { request }) => {
        try {
          const tokens = scope.get(ProviderTokens);
          const isAccess = request.header('x-kind') === 'access';
          const token = await (isAccess ? tokens.accessTokenOf?.(request) : tokens.idTokenOf(request));
          return textResult(token ?? 'none');
        } catch (error) {
          if (!(error instanceof OAuthError)) throw error;
          return textResult(`${error.status} ${error.error}`);
        }
      }),
    );
    // As a plugin with callers of its own: it believes the header, whatever the bearer token is.
    scope.tap(
      'onRequest',
      (request) => {
        const sid = request.header('x-sid');
        if (sid === undefined) return undefined;
        request.caller = { issuer: 'https://other.example', subject: 'alice', claims: { sid } };
        return undefined;
      },
      STAGE.identify - 1,
    );
  },
});

const start = (options: AuthServerOptions = {}): Promise<AuthServer> =>
  startAuthServer({
    builtIns: [
      ...['http', 'front', 'transport-http', 'transport-sse', 'metatools', 'toolsets', 'vault-memory'],
      ...['auth-server', 'auth-exchange'],
    ],
    settings: { plugins: { teller: { module: './teller.mjs' } } },
    files: { 'teller.mjs': moduleOf(TELLER) },
    ...options,
  });
/** What is handed on for a request with that bearer token. */
async function told(
  { base }: AuthServer,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const call = statelessCall('tell');
  return resultText(await post(base, call, { authorization: `Bearer ${token}`, ...headers }));
}
const sidOf = async (auth: AuthServer): Promise<string> =>
  (await auth.vault.list('oauth-signin:'))[0]?.slice('oauth-signin:'.length) ?? '';

describe("auth-server: the identity provider's id_token of a caller", () => {
  it('is that of the sign-in, never an access token, and is not logged', async () => {
    const auth = await start();
    const answer = await auth.redeem(await auth.code());
    const { access } = tokensOf(answer);
    const idToken = await told(auth, access);
    expect(idToken).equal(answer.body['id_token']).not.equal(access);
    expect(JSON.stringify(auth.gateway.log.records)).not.contain(idToken);
  });

  it('is refreshed before it ends, once for many calls', async () => {
    const clock = movableClock();
    const auth = await start({ provider: { lifetimes: { IdToken: 600 } } });
    const { access } = await auth.tokens();
    const first = await told(auth, access);
    clock.later(530_000);
    expect(await told(auth, access)).equal(first);
    clock.later(20_000);
    const tokens = new Set(await Promise.all(Array.from({ length: 20 }, () => told(auth, access))));
    expect(tokens.size).equal(1);
    const [next = ''] = tokens;
    expect(decodeJwt(next).exp).greaterThan(decodeJwt(first).exp ?? Infinity);
    expect(auth.provider.refreshes()).equal(1);
  });

  it('is handed on until its end if the provider is away; then the caller is asked to repeat', async () => {
    const clock = movableClock();
    const auth = await start({ provider: { lifetimes: { IdToken: 600 } } });
    const { access } = await auth.tokens();
    const first = await told(auth, access);
    auth.provider.fail(502, '/token');
    clock.later(560_000);
    expect(await told(auth, access)).equal(first);
    clock.later(60_000);
    expect(await told(auth, access)).equal('503 temporarily_unavailable');
    auth.provider.resume();
    expect(await told(auth, access))
      .match(/^ey/)
      .not.equal(first);
  });

  it('does not exist once the provider has ended the sign-in', async () => {
    const clock = movableClock();
    const auth = await start({ provider: { lifetimes: { IdToken: 600 } } });
    const { access } = await auth.tokens();
    await auth.provider.revoke('alice');
    clock.later(560_000);
    expect(await told(auth, access)).equal('none');
  });

  it('is not given for a caller of another issuer who names the sign-in', async () => {
    const auth = await start();
    const { access } = await auth.tokens();
    expect(await told(auth, access)).match(/^ey/);
    expect(await told(auth, access, { 'x-sid': await sidOf(auth) })).equal('none');
  });

  it('is the accepted token itself, for callers without a sign-in here', async () => {
    const issuer = await startTokenIssuer();
    const auth = await start({
      config: (base) => ({
        trustedAudiences: ['pegboard'],
        trustedIssuers: [issuer.trusted({ allowedAudiences: [base] })],
      }),
    });
    const { body } = await auth.redeem(await auth.code());
    const idToken = String(body['id_token']);
    expect(await told(auth, idToken)).equal(idToken);
    const jwt = await issuer.sign({ aud: auth.base });
    expect(await told(auth, jwt)).equal(jwt);
    // The request has another caller: that a token is good says nothing about this one.
    expect(await told(auth, jwt, { 'x-sid': 'ext-1' })).equal('none');
    expect(await told(auth, idToken, { 'x-sid': 'ext-1' })).equal('none');
    expect(JSON.stringify(auth.gateway.log.records)).not.contain(jwt).not.contain(idToken);
  });
});

describe("auth-server: the identity provider's access token of a caller", () => {
  const ACCESS = { 'x-kind': 'access' };

  it('is that of the sign-in, refreshed before it ends', async () => {
    const clock = movableClock();
    const auth = await start({ provider: { lifetimes: { AccessToken: 300 } } });
    const issued = (): unknown => auth.provider.issued.at(-1)?.['access_token'];
    const { access } = await auth.tokens();
    const first = await told(auth, access, ACCESS);
    expect(first).equal(issued()).not.equal(access);
    clock.later(295_000);
    const next = tokensOf(await auth.refresh((await auth.tokens()).refresh)).access;
    clock.later(295_000);
    const second = await told(auth, next, ACCESS);
    expect(second).equal(issued()).not.equal(first);
    expect(JSON.stringify(auth.gateway.log.records)).not.contain(first).not.contain(second);
  });

  it('is the accepted token itself for a caller without a sign-in, unless that is an id_token', async () => {
    const issuer = await startTokenIssuer();
    const auth = await start({
      config: (base) => ({
        trustedAudiences: ['pegboard'],
        trustedIssuers: [issuer.trusted({ allowedAudiences: [base] })],
      }),
    });
    const { body } = await auth.redeem(await auth.code());
    expect(await told(auth, String(body['id_token']), ACCESS)).equal('none');
    const jwt = await issuer.sign({ aud: auth.base });
    expect(await told(auth, jwt, ACCESS)).equal(jwt);
  });
});
