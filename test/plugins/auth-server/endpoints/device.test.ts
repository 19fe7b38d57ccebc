import { expect } from 'chai';
import { startAuthServer, tokensOf } from '../../../support/authServer.ts';
import type { AuthServer, TokenAnswer } from '../../../support/authServer.ts';
import { newBrowser } from '../../../support/browser.ts';
import type { Page } from '../../../support/browser.ts';
import { movableClock } from '../../../support/clock.ts';
import type { MovableClock } from '../../../support/clock.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

describe('auth-server: a device without a browser', () => {
  let auth: AuthServer;
  let clock: MovableClock;
  before(async () => {
    clock = movableClock();
    auth = await startAuthServer({
      config: { allowDeviceFlow: true, trustedProxyCIDRs: ['127.0.0.0/8', '::1/128'] },
    });
    await auth.known({ id: 'other', redirectUris: [], authMethod: 'none', origin: 'token' });
  });

  // Other files may run in this process.
  after(() => clock.end());

  const from = (address: string) => ({ 'x-forwarded-for': address });
  let count = 0;
  /** @param address default: another one each time */
  const ask = (address = `192.0.2.${++count}`): Promise<TokenAnswer> =>
    auth.post(
      { client_id: auth.clientId, scope: 'openid groups' },
      from(address),
      '/oauth/device_authorization',
    );
  const codes = async (): Promise<{ device: string; page: string; user: string }> => {
    const { status, body } = await ask();
    expect(status, JSON.stringify(body)).to.equal(200);
    const { device_code, user_code, verification_uri_complete } = body;
    return { device: String(device_code), user: String(user_code), page: String(verification_uri_complete) };
  };
  const poll = (device_code: string, client_id = auth.clientId): Promise<TokenAnswer> =>
    auth.post({ grant_type: GRANT, device_code, client_id });
  const errorOf = async (device: string): Promise<unknown> => (await poll(device)).body['error'];
  const decide = async (address: string, decision: 'allow' | 'deny', browser = newBrowser()): Promise<Page> =>
    browser.submit(await browser.open(address), { decision });

  it('is signed in by a person who types its code in any browser', async () => {
    const { body } = await ask('203.0.113.9');
    expect(body).to.include({ verification_uri: `${auth.base}/oauth/device`, expires_in: 600, interval: 5 });
    expect(body['user_code']).to.match(/^[B-Z]{4}-[B-Z]{4}$/);
    const device = String(body['device_code']);
    expect(await errorOf(device)).to.equal('authorization_pending');
    const browser = newBrowser();
    const asked = await browser.open(`${auth.base}/oauth/device`);
    expect(asked.text).to.include('The code that the device shows');
    // People type it as they like.
    const typed = String(body['user_code']).toLowerCase().replace('-', ' ');
    const shown = await browser.open(`${auth.base}/oauth/device?user_code=${encodeURIComponent(typed)}`);
    expect(shown.text)
      .to.include('Test client')
      .and.to.include('203.0.113.9')
      .and.to.include('the groups you belong to');
    const end = await browser.submit(shown, { decision: 'allow' });
    expect(end.text).to.include('The device is signed in');
    const { access, refresh } = tokensOf(await poll(device));
    expect((await auth.mcp(access)).status).to.equal(200);
    tokensOf(await auth.refresh(refresh));
    expect((await browser.open(`${auth.base}/oauth/device?user_code=${typed}`)).status).to.equal(400);
  });

  it('gets its tokens once: a second use of its code ends the sign-in', async () => {
    const { device, page } = await codes();
    await decide(page, 'allow');
    const { access } = tokensOf(await poll(device));
    expect(await errorOf(device)).to.equal('invalid_grant');
    expect((await auth.mcp(access)).status).to.equal(401);
  });

  it('is told that the person, or the identity provider, did not allow it', async () => {
    const denied = await codes();
    expect((await decide(denied.page, 'deny')).text).to.include('The device is not signed in');
    expect(await errorOf(denied.device)).to.equal('access_denied');
    const refused = await codes();
    auth.provider.refuseLogins('access_denied', 'not today');
    expect((await decide(refused.page, 'allow')).text).to.include('The device is not signed in');
    auth.provider.loginAs('alice');
    expect(await errorOf(refused.device)).to.equal('access_denied');
  });

  it('is signed in only by the browser that was asked, and as the client that it is', async () => {
    const { device, page } = await codes();
    const shown = await newBrowser().open(page);
    const victim = newBrowser();
    await victim.open(page);
    expect((await victim.submit(shown, { decision: 'allow' })).status).to.equal(403);
    expect((await poll(device, 'other')).body['error']).to.equal('invalid_grant');
    expect((await poll(`${device}x`)).body['error']).to.equal('invalid_grant');
    expect(await errorOf(device)).to.equal('authorization_pending');
  });

  it('is told to ask seldom, and to begin again after ten minutes', async () => {
    const { device, page } = await codes();
    const errors: unknown[] = [];
    for (let at = 0; at < 4; at += 1) errors.push(await errorOf(device));
    expect(errors).to.deep.equal([...Array<string>(3).fill('authorization_pending'), 'slow_down']);
    const browser = newBrowser();
    const shown = await browser.open(page);
    clock.later(600_000);
    expect(await errorOf(device)).to.equal('expired_token');
    expect((await browser.open(page)).text).to.include('unknown, used or expired');
    expect((await browser.submit(shown, { decision: 'allow' })).status).to.equal(403);
  });

  it('waits beside at most 20 of one address, from which at most 20 codes may be tried', async () => {
    const statuses: number[] = [];
    for (let at = 0; at < 21; at += 1) statuses.push((await ask('198.51.100.7')).status);
    expect(statuses).to.deep.equal([...Array<number>(20).fill(200), 429]);
    const tried = async (): Promise<number> => {
      const { status } = await newBrowser().request(`${auth.base}/oauth/device?user_code=BBBB-BBBB`, {
        headers: from('198.51.100.7'),
      });
      return status;
    };
    for (let at = 0; at < 20; at += 1) expect(await tried()).to.equal(400);
    expect(await tried()).to.equal(429);
  });

  it('can do nothing unless the operator allows it', async () => {
    const strict = await startAuthServer();
    const metadata = (at: AuthServer): Promise<unknown> =>
      fetch(`${at.base}/.well-known/oauth-authorization-server`).then((answer) => answer.json());
    expect(await metadata(strict)).to.not.have.any.keys('device_authorization_endpoint');
    expect(await metadata(auth)).to.include({
      device_authorization_endpoint: `${auth.base}/oauth/device_authorization`,
    });
    const form = { client_id: strict.clientId };
    expect((await strict.post(form, {}, '/oauth/device_authorization')).status).to.equal(403);
    expect((await strict.open(`${strict.base}/oauth/device`)).status).to.equal(403);
    const grant = await strict.post({ ...form, grant_type: GRANT, device_code: 'x' });
    expect(grant.body['error']).to.equal('unsupported_grant_type');
  });
});
