import { expect } from 'chai';
import { startAuthServer, tokensOf } from '../../../support/authServer.ts';
import type { AuthServer, Tokens } from '../../../support/authServer.ts';
import { newBrowser } from '../../../support/browser.ts';
import type { Browser, Page } from '../../../support/browser.ts';
import { startLyingProvider } from '../../../support/lyingProvider.ts';

interface Person {
  readonly browser: Browser;
  readonly tokens: Tokens;
  /** The id of the sign-in. */
  readonly id: string;
}

describe('auth-server: the page that signs people out', () => {
  let auth: AuthServer;
  beforeEach(async () => (auth = await startAuthServer()));

  const signIn = async (subject: string, browser = newBrowser()): Promise<Person> => {
    auth.provider.loginAs(subject);
    const tokens = tokensOf(await auth.redeem(await auth.code({}, browser)));
    return { browser, tokens, id: tokens.refresh.split('.')[0]! };
  };
  const open = (browser: Browser): Promise<Page> => browser.open(`${auth.base}/oauth/logout`);
  const admitted = (...people: readonly Person[]): Promise<readonly boolean[]> =>
    Promise.all(people.map(async ({ tokens }) => (await auth.mcp(tokens.access)).status === 200));
  const isKnown = async (browser: Browser): Promise<boolean> =>
    (await browser.request(`${auth.base}/oauth/logout`)).status === 200;

  it('names the person at the browser and each of their sign-ins, and none of another person', async () => {
    const [laptop, phone, bob] = [await signIn('alice'), await signIn('alice'), await signIn('bob')];
    const page = await open(laptop.browser);
    expect(page.status).equal(200);
    expect(page.text).include('alice@example.com').and.include('Test client').and.include(' UTC');
    for (const { id } of [laptop, phone]) expect(page.text).include(id);
    expect(page.text).not.include(bob.id).and.not.include('<script');
    for (const { tokens } of [laptop, phone])
      expect(page.text).not.include(tokens.access).and.not.include(tokens.refresh);
    expect(page.headers.get('x-frame-options')).equal('DENY');
    expect(page.headers.get('cache-control')).equal('no-store');
  });

  it('leads to the sign-in where no person is known, and back', async () => {
    const { id } = await signIn('alice');
    const first = await newBrowser().request(`${auth.base}/oauth/logout`);
    expect([first.status, first.headers.get('location')?.startsWith(auth.provider.url)]).deep.equal([
      302,
      true,
    ]);
    const page = await open(newBrowser());
    expect([page.status, page.url]).deep.equal([200, `${auth.base}/oauth/logout`]);
    expect(page.text).include(id);
  });

  it('ends one sign-in and keeps the others, the browser and the session at the provider', async () => {
    const [laptop, phone] = [await signIn('alice'), await signIn('alice')];
    const after = await laptop.browser.submit(await open(laptop.browser), { end: phone.id });
    expect([after.status, after.url]).deep.equal([200, `${auth.base}/oauth/logout`]);
    expect(after.text).include(laptop.id).and.not.include(phone.id);
    expect(await admitted(laptop, phone)).deep.equal([true, false]);
    expect((await auth.refresh(phone.tokens.refresh)).body['error']).equal('invalid_grant');
    expect(await isKnown(laptop.browser)).equal(true);
  });

  it('ends all sign-ins here, and forgets the browser', async () => {
    const [laptop, phone, bob] = [await signIn('alice'), await signIn('alice'), await signIn('bob')];
    const page = await open(laptop.browser);
    const stolen = newBrowser();
    for (const { name, value } of laptop.browser.cookiesFor(auth.base))
      stolen.setCookie(auth.base, `${name}=${value}; Path=/`);
    const after = await laptop.browser.submit(page, { end: 'all' });
    expect([after.status, after.url]).deep.equal([200, `${auth.base}/oauth/signed-out`]);
    expect(after.text).include('You are signed out');
    expect(await admitted(laptop, phone, bob)).deep.equal([false, false, true]);
    for (const browser of [laptop.browser, stolen]) expect(await isKnown(browser)).equal(false);
    const record = auth.gateway.log.having('signed out in a browser').at(-1);
    expect(record?.data['signIns']).have.members([laptop.id, phone.id]);
  });

  it('ends the session at the identity provider, too, which leads back', async () => {
    const laptop = await signIn('alice');
    const page = await open(laptop.browser);
    expect(page.text).include(new URL(auth.provider.url).host);
    const asked = await laptop.browser.submit(page, { end: 'provider' });
    const { origin, searchParams } = new URL(asked.url);
    expect(origin).equal(auth.provider.url);
    expect(Object.fromEntries(searchParams)).include({
      client_id: 'pegboard',
      post_logout_redirect_uri: `${auth.base}/oauth/signed-out`,
      id_token_hint: auth.provider.issued.at(-1)?.['id_token'],
    });
    expect(await admitted(laptop)).deep.equal([false]);
    const back = await laptop.browser.submit(asked, { logout: 'yes' });
    expect(`${new URL(back.url).origin}${new URL(back.url).pathname}`).equal(`${auth.base}/oauth/signed-out`);
    expect([back.status, new URL(back.url).searchParams.get('state')]).deep.equal([
      200,
      searchParams.get('state'),
    ]);
    expect(back.text).include('You are signed out');
    // The provider asks for a person again.
    auth.provider.loginAs('bob');
    expect((await open(laptop.browser)).text).include('bob@example.com');
  });

  it('leaves the session at the identity provider if the person does not end it', async () => {
    const { browser } = await signIn('alice');
    await browser.submit(await open(browser), { end: 'all' });
    auth.provider.loginAs('bob');
    expect((await open(browser)).text).include('alice@example.com');
  });

  it('does not offer to end a session at a provider that cannot', async () => {
    const provider = await startLyingProvider();
    auth = await startAuthServer({ idp: provider.config });
    await auth.discovered();
    const browser = newBrowser();
    const page = await open(browser);
    expect(page.text).include('value="all"').and.not.include('value="provider"');
    const { url } = await browser.submit(page, { end: 'provider' });
    expect(url).equal(`${auth.base}/oauth/signed-out`);
  });

  it('ends no sign-in of another person', async () => {
    const [alice, bob] = [await signIn('alice'), await signIn('bob')];
    const after = await alice.browser.submit(await open(alice.browser), { end: bob.id });
    expect(after.status).equal(200);
    expect(await admitted(alice, bob)).deep.equal([true, true]);
  });

  it('ends nothing for another site, another browser or a page that was shown to another person', async () => {
    const [alice, bob] = [await signIn('alice'), await signIn('bob')];
    const url = `${auth.base}/oauth/logout`;
    const bobsPage = await open(bob.browser);
    const body = new URLSearchParams({ end: 'all' });
    const sites: readonly RequestInit[] = [
      { headers: { origin: 'https://evil.example' } },
      { headers: { origin: auth.base } },
    ];
    for (const init of sites)
      expect((await alice.browser.request(url, { method: 'POST', body, ...init })).status).equal(403);
    expect((await alice.browser.submit(bobsPage, { end: 'all' })).status).equal(403);
    const before = await open(alice.browser);
    await signIn('carol', alice.browser);
    auth.provider.loginAs('carol');
    const changed = newBrowser();
    for (const { name, value } of alice.browser.cookiesFor(auth.base))
      if (name === 'pegboard-browser') changed.setCookie(auth.base, `${name}=${value}; Path=/`);
    await open(changed);
    const stale = await changed.submit(before, { end: 'all' });
    expect([stale.status, auth.lastReason]).deep.equal([403, 'logout-of-other-page']);
    expect(stale.text).include('Nothing was signed out').and.include(`href="${url}"`);
    expect(await admitted(alice, bob)).deep.equal([true, true]);
  });

  it('says that people are signed out only to those who are', async () => {
    const { browser } = await signIn('alice');
    const done = `${auth.base}/oauth/signed-out`;
    expect((await browser.request(done)).headers.get('location')).equal(`${auth.base}/oauth/logout`);
    expect((await newBrowser().request(done)).status).equal(200);
    const invented = await newBrowser().request(`${done}?state=invented`);
    expect(invented.headers.get('location')).equal(`${auth.base}/oauth/logout`);
  });

  it('is not a page for clients: no metadata names it', async () => {
    const metadata = await fetch(`${auth.base}/.well-known/openid-configuration`);
    expect(await metadata.json()).not.have.property('end_session_endpoint');
  });
});
