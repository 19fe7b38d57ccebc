import { expect } from 'chai';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { newBrowser } from '../../support/browser.ts';
import { REDIRECT, SignInClient, registerAt, startAuthServer, tokensOf } from '../../support/authServer.ts';
import type { AuthServer } from '../../support/authServer.ts';
import { movableClock } from '../../support/clock.ts';

/** Records that the vault takes; what the strangers ask for is many times as much. */
const ROOM = 150;
const STRANGERS = 300;

describe('auth-server: strangers who begin sign-ins', () => {
  let auth: AuthServer;
  before(async () => {
    auth = await startAuthServer({
      config: { trustedProxyCIDRs: ['127.0.0.0/8', '::1/128'], allowPublicClientRegistration: true },
      settings: { plugins: { 'vault-memory': { config: { maxEntries: ROOM } } } },
    });
  });

  const records = async (): Promise<number> => (await auth.vault.list('')).length;
  /** As from one of 64 addresses. */
  const from = (number: number): { 'x-forwarded-for': string } => ({
    'x-forwarded-for': `2001:db8:0:${(number % 64).toString(16)}::${number.toString(16)}`,
  });
  const state = async (headers: Readonly<Record<string, string>>): Promise<string> => {
    const { headers: answer } = await auth.open(auth.authorizeUrl(), undefined, headers);
    return new URL(answer.get('location') ?? '').searchParams.get('state') ?? '';
  };
  const all = (count: number, each: (number: number) => Promise<unknown>): Promise<unknown> =>
    Promise.all(Array.from({ length: count }, (_, number) => each(number)));

  it('leave nothing in the vault, and others sign in, refresh and register meanwhile', async () => {
    const { refresh } = await auth.tokens();
    const before = await records();
    await all(STRANGERS, (number) => state(from(number)));
    expect(await records()).to.equal(before);
    tokensOf(await auth.refresh(refresh));
    await auth.tokens();
    await registerAt(auth.base);
  });

  it('leave nothing with forms of consent, which wait in the browser', async () => {
    await auth.known({
      id: 'shop',
      redirectUris: ['https://claude.ai/api/mcp/auth_callback'],
      authMethod: 'none',
      origin: 'open',
    });
    const before = await records();
    const shop = { client_id: 'shop', redirect_uri: 'https://claude.ai/api/mcp/auth_callback' };
    await all(STRANGERS, async (number) => {
      const page = await auth.open(auth.authorizeUrl(shop), undefined, from(number));
      expect(page.text).to.include('Allow access?');
    });
    expect(await records()).to.equal(before);
  });

  it('leave at most 100 marks of each address by ending them, each of which is used once', async () => {
    const before = await records();
    const stranger = from(7);
    const used = await Promise.all(Array.from({ length: 150 }, () => state(stranger)));
    const end = (one: string) => {
      const answer = new URLSearchParams({
        state: one,
        error: 'access_denied',
        iss: auth.provider.config.issuerUrl,
      });
      return auth.open(`${auth.base}/oauth/callback?${answer.toString()}`, undefined, stranger);
    };
    for (const one of used) expect((await end(one)).headers.get('location')).to.include('access_denied');
    expect((await records()) - before).to.equal(100);
    expect((await end(used[0] ?? '')).status).to.equal(400);
    // Beyond the bound too a person gets one code by one sign-in.
    const browser = newBrowser();
    const isBack = (url: string): boolean => url.startsWith(`${auth.base}/oauth/callback`);
    const { url } = await browser.open(auth.authorizeUrl(), isBack);
    const first = await browser.request(url, { headers: stranger });
    expect(first.headers.get('location')).to.include(`${REDIRECT}?code=`);
    const second = await browser.request(url, { headers: stranger });
    expect(second.status).to.equal(400);
  });

  it('leave no proofs of keys beside invented codes and refresh tokens', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(publicKey);
    const before = await records();
    await all(50, async (number) => {
      const dpop = await new SignJWT({ jti: `proof ${number}`, htm: 'POST', htu: `${auth.base}/oauth/token` })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .setIssuedAt()
        .sign(privateKey);
      const answer = await (number % 2 === 0
        ? auth.redeem(`invented-${number}`, {}, { dpop })
        : auth.refresh(`invented.${number}`, {}, { dpop }));
      expect(answer.body['error']).to.equal('invalid_grant');
    });
    expect(await records()).to.equal(before);
  });
});

describe('auth-server: too many clients', () => {
  it('that no person has signed in with within an hour make room for new ones', async () => {
    const clock = movableClock();
    const auth = await startAuthServer();
    const used = await registerAt(auth.base);
    const client = new SignInClient(auth.base, used);
    await client.code();
    const { vault } = auth;
    const unused = { redirectUris: [REDIRECT], authMethod: 'none', origin: 'open', renewedAt: Date.now() };
    for (let at = 0; at < 9_998; at += 1)
      await vault.set(`oauth-client:${at}`, { ...unused, id: String(at) }, 86_400);
    const refused: unknown = await registerAt(auth.base).catch((error: unknown) => error);
    expect(refused).to.be.an('error').with.property('message', 'not registered: 503');
    expect(auth.lastReason).to.equal('registrations-full');
    clock.later(3_600_000);
    await registerAt(auth.base);
    clock.later(1_001);
    expect(await vault.list('oauth-client:')).to.have.length(3);
    await client.code();
    clock.end();
  });
});
