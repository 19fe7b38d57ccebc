import { expect } from 'chai';
import { SignJWT, decodeJwt, importJWK } from 'jose';
import type { JWTPayload } from 'jose';
import { startAuthServer, tokensOf } from '../../../support/authServer.ts';
import type { AuthServer, TokenAnswer } from '../../../support/authServer.ts';
import { CLIENT_ID } from '../../../support/clientAtProvider.ts';
import { firstKey } from '../../../support/identityProvider.ts';

const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };
const NOW = Math.floor(Date.now() / 1_000);
/** Title → what is wrong with a logout token; undefined removes a claim. */
const WRONG: Readonly<Record<string, { claims?: object; header?: object; secret?: string }>> = {
  'another issuer': { claims: { iss: 'https://other.example' } },
  'another audience': { claims: { aud: 'other' } },
  'no audience': { claims: { aud: undefined } },
  'no issue time': { claims: { iat: undefined } },
  'an issue time long past': { claims: { iat: NOW - 3_600 } },
  'an issue time in the future': { claims: { iat: NOW + 600 } },
  'an expiry in the past': { claims: { exp: NOW - 60 } },
  'no id': { claims: { jti: undefined } },
  'no events': { claims: { events: undefined } },
  'another event': { claims: { events: { 'https://other.example': {} } } },
  'an event without an object': { claims: { events: { [Object.keys(EVENTS)[0]!]: true } } },
  'a nonce': { claims: { nonce: 'n' } },
  'neither person nor session': { claims: { sub: undefined } },
  'the type of an access token': { header: { typ: 'at+jwt' } },
  'a key that is not published': { header: { kid: 'other' } },
  'a secret in place of a key': { header: { alg: 'HS256' }, secret: 'secret of pegboard' },
};

interface Person {
  readonly access: string;
  readonly refresh: string;
  readonly sid: string;
}

describe('auth-server: back-channel logout', () => {
  let auth: AuthServer;
  beforeEach(async () => (auth = await startAuthServer({ provider: { reportsLogouts: true } })));

  const signIn = async (subject: string): Promise<Person> => {
    auth.provider.loginAs(subject);
    const answer = await auth.redeem(await auth.code({ scope: 'openid' }));
    const { sid } = decodeJwt(String(answer.body['id_token']));
    return { ...tokensOf(answer), sid: String(sid) };
  };
  const admitted = (people: readonly Person[]): Promise<readonly boolean[]> =>
    Promise.all(people.map(async ({ access }) => (await auth.mcp(access)).status === 200));
  const post = (logout_token: string): Promise<TokenAnswer> =>
    auth.post({ logout_token }, {}, '/oauth/backchannel-logout');
  const signed = async ({ claims = {}, header = {}, secret }: (typeof WRONG)[string]): Promise<string> => {
    const key = firstKey();
    const honest = {
      iss: auth.provider.url,
      aud: CLIENT_ID,
      iat: NOW,
      jti: crypto.randomUUID(),
      events: EVENTS,
    };
    const { kid } = key as { readonly kid?: string };
    const jwt = new SignJWT(JSON.parse(JSON.stringify({ ...honest, sub: 'alice', ...claims })) as JWTPayload);
    return jwt
      .setProtectedHeader({ alg: 'RS256', typ: 'logout+jwt', ...(kid !== undefined && { kid }), ...header })
      .sign(secret === undefined ? await importJWK(key, 'RS256') : new TextEncoder().encode(secret));
  };

  it('of a session ends the sign-ins of that session only, with their streams', async () => {
    const [laptop, phone, bob] = [await signIn('alice'), await signIn('alice'), await signIn('bob')];
    expect(laptop.sid).not.equal(phone.sid);
    const stream = await fetch(`${auth.base}/sse`, { headers: { authorization: `Bearer ${laptop.access}` } });
    await auth.provider.logOut('alice', laptop.sid);
    await stream.text();
    expect(await admitted([laptop, phone, bob])).deep.equal([false, true, true]);
    expect((await auth.refresh(laptop.refresh)).body['error']).equal('invalid_grant');
    await auth.provider.logOut('bob', phone.sid);
    expect(await admitted([phone, bob]), 'of another person').deep.equal([true, true]);
  });

  it('of a person ends all sign-ins of that person, and is good once', async () => {
    const [laptop, phone, bob] = [await signIn('alice'), await signIn('alice'), await signIn('bob')];
    const token = await signed({});
    const { status, headers } = await post(token);
    expect([status, headers.get('cache-control')]).deep.equal([200, 'no-store']);
    expect(await admitted([laptop, phone, bob])).deep.equal([false, false, true]);
    const again = await signIn('alice');
    expect((await post(token)).status).equal(400);
    expect(await admitted([again])).deep.equal([true]);
    expect(auth.lastReason).equal('logout-token-replayed');
  });

  it('by a session alone, and by a token of type JWT, is accepted', async () => {
    const [laptop, phone] = [await signIn('alice'), await signIn('alice')];
    const token = await signed({ claims: { sub: undefined, sid: laptop.sid }, header: { typ: 'JWT' } });
    expect((await post(token)).status).equal(200);
    expect(await admitted([laptop, phone])).deep.equal([false, true]);
  });

  it('of a session ends sign-ins of its person whose session is not known', async () => {
    const laptop = await signIn('alice');
    const key = `oauth-signin:${laptop.refresh.split('.')[0]!}`;
    const { providerSession, ...older } = (await auth.vault.get(key)) as Record<string, unknown>;
    expect(providerSession).equal(laptop.sid);
    await auth.vault.set(key, older, 60);
    await auth.provider.logOut('alice', 'another session');
    expect(await admitted([laptop])).deep.equal([false]);
  });

  it('is refused with 400 and no-store for a token that does not count', async () => {
    const laptop = await signIn('alice');
    for (const [what, wrong] of Object.entries(WRONG)) {
      const { status, headers, body } = await post(await signed(wrong));
      expect([status, headers.get('cache-control'), body['error']], what).deep.equal([
        400,
        'no-store',
        'invalid_request',
      ]);
    }
    const idToken = String(auth.provider.issued.at(-1)?.['id_token']);
    for (const token of [idToken, 'garbage', '']) expect((await post(token)).status).equal(400);
    expect(
      (await auth.post('x=1', { 'content-type': 'text/plain' }, '/oauth/backchannel-logout')).status,
    ).equal(400);
    expect(await admitted([laptop])).deep.equal([true]);
  });
});
