import { expect } from 'chai';
import { newBrowser } from '../../../support/browser.ts';
import type { Page } from '../../../support/browser.ts';
import { PUBLIC_CLIENT, REDIRECT, startAuthServer } from '../../../support/authServer.ts';
import type { AuthServer } from '../../../support/authServer.ts';
import type { OAuthClient } from '../../../../plugins/contracts/oauth.ts';

/** A literal address: the tests need no name server. */
const PUBLIC_TARGET = 'https://93.184.215.14/callback';
const STRANGER: OAuthClient = {
  ...PUBLIC_CLIENT,
  id: 'stranger',
  name: '<b>Nice</b> "app"',
  redirectUris: [PUBLIC_TARGET],
  origin: 'open',
};

describe('auth-server: consent', () => {
  let auth: AuthServer;
  before(async () => {
    auth = await startAuthServer();
    await auth.known(STRANGER);
  });
  const changes = { client_id: 'stranger', redirect_uri: PUBLIC_TARGET };
  const ends = (url: string): boolean => url.startsWith(PUBLIC_TARGET);
  async function shown(browser = newBrowser()): Promise<Page> {
    const page = await browser.request(auth.authorizeUrl(changes));
    expect(page.status, page.text).equal(200);
    return page;
  }

  it('T20: is asked for a client that anyone could have registered; without it there is no code', async () => {
    const browser = newBrowser();
    const page = await shown(browser);
    expect(page.text).include('93.184.215.14').and.include('your e-mail address');
    const end = await browser.submit(page, { decision: 'allow' }, ends);
    const code = new URL(end.url).searchParams.get('code') ?? '';
    const { status } = await auth.redeem(code, { client_id: 'stranger', redirect_uri: PUBLIC_TARGET });
    expect(status).equal(200);
  });

  it('has a form that is sent to where the page came from, also below a path', async () => {
    const [, action = ''] = /<form [^>]*action="([^"]*)"/.exec((await shown()).text) ?? [];
    const page = 'https://gateway.example/team/tools/oauth/authorize';
    expect(new URL(action, page).href).equal('https://gateway.example/team/tools/oauth/consent');
  });

  it('names the gateway, and the person who has signed in at this browser', async () => {
    const browser = newBrowser();
    const strangers = await shown(browser);
    expect(strangers.text)
      .include(`<strong>${new URL(auth.base).host}</strong>`)
      .and.not.include('signed in here');
    await browser.submit(strangers, { decision: 'allow' }, ends);
    const known = await shown(browser);
    expect(known.text.replace(/\s+/g, ' ')).include('signed in here as</dt> <dd>alice@example.com</dd>');
    expect((await shown()).text).not.include('signed in here');
  });

  it('says in plain words where the browser goes next', async () => {
    const asking = await startAuthServer({ config: { consent: 'always' } });
    const next = async (uri: string): Promise<string | undefined> => {
      await asking.known({ ...STRANGER, redirectUris: [uri] });
      const { text } = await asking.open(asking.authorizeUrl({ client_id: 'stranger', redirect_uri: uri }));
      return /sent to<\/dt>\s*<dd>([^<]*)/.exec(text)?.[1];
    };
    expect(await next('http://127.0.0.1:37423/callback')).equal('this computer');
    expect(await next('http://[::1]:37423/callback')).equal('this computer');
    expect(await next('cursor://anysphere.cursor/callback')).equal(
      'an application on this computer (cursor:)',
    );
    expect(await next('https://127.0.0.1.example:8443/callback')).equal(undefined);
    expect(await next('https://93.184.215.14:8443/callback')).equal('93.184.215.14:8443');
  });

  it('T18: is shown in no frame, and loads nothing', async () => {
    const { headers } = await shown();
    expect(headers.get('x-frame-options')).equal('DENY');
    const policy = headers.get('content-security-policy');
    expect(policy).include("frame-ancestors 'none'").and.include("default-src 'none'");
  });

  it('T74: shows names as text, and no picture', async () => {
    const { text } = await shown();
    expect(text)
      .include('&lt;b&gt;Nice&lt;/b&gt; &quot;app&quot;')
      .and.not.include('<b>')
      .and.not.include('<img');
  });

  it('T21: is not taken from another browser or another origin, and a form is used once', async () => {
    const victim = newBrowser();
    const attacker = newBrowser();
    await shown(victim);
    const attackersPage = await shown(attacker);
    const stolen = await victim.submit(attackersPage, { decision: 'allow' }, ends);
    expect(stolen.status).equal(403);
    expect(stolen.headers.get('location')).equal(null);
    expect((await attacker.submit(attackersPage, { decision: 'allow' }, ends)).status).equal(403);
    const foreign = await fetch(`${auth.base}/oauth/consent`, {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'decision=allow',
      redirect: 'manual',
    });
    expect(foreign.status).equal(403);
  });

  it('if denied, reaches the client as access_denied', async () => {
    const browser = newBrowser();
    const end = await browser.submit(await shown(browser), { decision: 'deny' }, ends);
    const params = Object.fromEntries(new URL(end.url).searchParams);
    expect(params).include({ error: 'access_denied', iss: auth.base });
  });

  it('binds the return from the provider to the browser that consented', async () => {
    const browser = newBrowser();
    const isReturn = (url: string): boolean => url.includes('/oauth/callback');
    const page = await browser.submit(await shown(browser), { decision: 'allow' }, isReturn);
    expect((await newBrowser().request(page.url)).status).equal(400);
  });

  it('is answered with consent_required if the client asked not to show anything', async () => {
    const page = await auth.open(auth.authorizeUrl({ ...changes, prompt: 'none' }));
    const { searchParams } = new URL(page.headers.get('location') ?? '');
    expect(searchParams.get('error')).equal('consent_required');
  });

  it('is not asked for clients of this machine, of the registration token, or of trustedClients', async () => {
    await auth.known({ ...PUBLIC_CLIENT, id: 'local', origin: 'open' });
    await auth.known({ ...STRANGER, id: 'vetted', origin: 'token' });
    const local = await auth.open(auth.authorizeUrl({ client_id: 'local', redirect_uri: REDIRECT }));
    expect(local.status).equal(302);
    expect((await auth.open(auth.authorizeUrl({ ...changes, client_id: 'vetted' }))).status).equal(302);
    const trusting = await startAuthServer({ config: { trustedClients: ['stranger'] } });
    await trusting.known(STRANGER);
    expect((await trusting.open(trusting.authorizeUrl(changes))).status).equal(302);
    const asking = await startAuthServer({ config: { consent: 'always' } });
    expect((await asking.open(asking.authorizeUrl())).status).equal(200);
  });
});
