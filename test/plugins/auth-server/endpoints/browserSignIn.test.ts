import { expect } from 'chai';
import { definePlugin, isGatewayError } from '../../../../kernel/index.ts';
import { BrowserSignIn } from '../../../../plugins/contracts/oauth.ts';
import { OAuthError } from '../../../../plugins/kit/oauth/oauthError.ts';
import { Route } from '../../../../plugins/contracts/http.ts';
import { startAuthServer } from '../../../support/authServer.ts';
import type { AuthServer, AuthServerOptions } from '../../../support/authServer.ts';
import { newBrowser } from '../../../support/browser.ts';
import type { Browser, Page } from '../../../support/browser.ts';
import { movableClock } from '../../../support/clock.ts';
import { moduleOf } from '../../../support/gateway.ts';

const PERSON = 'pegboard-person';
/** A page for one caller, as another plugin would serve it: `/page?issuer=…&subject=…`. */
const PAGES = definePlugin({
  name: 'pages',
  api: 1,
  configSchema: { type: 'object' },
  requires: [BrowserSignIn],
  provides: [Route],
  apply: (scope) =>
    scope.provide(Route, {
      method: 'GET',
      path: '/page',
      access: 'public',
      handle: async ({ query, req }, request) => {
        const caller = { issuer: query.get('issuer') ?? '', subject: query.get('subject') ?? '' };
        const returnTo = query.get('to') ?? req.url ?? '';
        try {
          const reply = await scope.get(BrowserSignIn).confirm(request, caller, returnTo);
          if (reply === 'unknowable') return { status: 200, body: 'unknowable' };
          return reply ?? { status: 200, body: `the page of ${caller.subject}` };
        } catch (error) {
          if (error instanceof OAuthError) return error.reply;
          return { status: 400, body: isGatewayError(error) ? error.code : 'unknown' };
        }
      },
    }),
});

describe('auth-server: who is at a browser', () => {
  const start = (options: AuthServerOptions = {}): Promise<AuthServer> =>
    startAuthServer({
      settings: { plugins: { pages: { module: './pages.mjs' } } },
      files: { 'pages.mjs': moduleOf(PAGES) },
      ...options,
    });
  let auth: AuthServer;
  before(async () => {
    auth = await start();
  });
  beforeEach(() => auth.provider.loginAs('alice'));
  const pageOf = (subject: string, more: Readonly<Record<string, string>> = {}): string =>
    `${auth.base}/page?${new URLSearchParams({ issuer: auth.provider.url, subject, ...more }).toString()}`;
  const isCallback = (url: string): boolean => url.startsWith(`${auth.base}/oauth/callback`);
  const personIn = (browser: Browser): string | undefined =>
    browser.cookiesFor(auth.base).find(({ name }) => name === PERSON)?.value;
  /** Signs in with an application, so that the browser is known. */
  async function browserOf(subject: string): Promise<Browser> {
    auth.provider.loginAs(subject);
    const browser = newBrowser();
    await auth.redirected({}, browser);
    return browser;
  }
  /** Follows the link of a page. */
  async function follow(browser: Browser, { text }: Page): Promise<Page> {
    const href = /<a class="button" href="([^"]*)"/.exec(text)?.[1] ?? '';
    const next = await browser.open(href.replaceAll('&amp;', '&'));
    // This provider confirms the end of the former person's session.
    return next.text.includes('/session/end/confirm') ? browser.submit(next, {}) : next;
  }

  it('is known at once after a sign-in with an application', async () => {
    const browser = await browserOf('alice');
    const page = await browser.request(pageOf('alice'));
    expect([page.status, page.text]).deep.equal([200, 'the page of alice']);
  });

  it('is asked of the identity provider else, which leads back to the page', async () => {
    const browser = newBrowser();
    const first = await browser.request(pageOf('alice', { more: 'a&b' }));
    expect(first.status).equal(302);
    expect(first.headers.get('location')).contain(auth.provider.url);
    const page = await browser.open(pageOf('alice', { more: 'a&b' }));
    expect([page.status, page.text, page.url]).deep.equal([
      200,
      'the page of alice',
      pageOf('alice', { more: 'a&b' }),
    ]);
    const cookie = personIn(browser);
    expect(cookie).match(/^[\w-]{43}$/);
    expect(JSON.stringify(auth.gateway.log.records)).not.contain(cookie);
  });

  it('leaves the sign-ins of that person as they are, though the provider may end with it what they use', async () => {
    const { refresh } = await auth.tokens();
    await auth.provider.revoke('alice');
    expect((await newBrowser().open(pageOf('alice'))).text).equal('the page of alice');
    expect((await auth.refresh(refresh)).status).equal(200);
  });

  it('T93: is refused if it is another person, with a way to become the right one', async () => {
    const browser = await browserOf('bob');
    const refused = await browser.request(pageOf('alice'));
    expect(refused.status, refused.text).equal(403);
    expect(refused.text)
      .contain('This link belongs to another person')
      .contain('bob@example.com')
      .contain('close this page')
      .not.contain('alice');
    expect(refused.headers.get('x-frame-options')).equal('DENY');
    auth.provider.loginAs('alice');
    const page = await follow(browser, refused);
    expect([page.status, page.text]).deep.equal([200, 'the page of alice']);
    expect((await browser.request(pageOf('bob'))).status).equal(403);
  });

  it('T93: stays refused as long as the same other person signs in', async () => {
    const browser = await browserOf('bob');
    const page = await follow(browser, await browser.request(pageOf('alice')));
    expect(page.status).equal(403);
  });

  it('T93: is not set by a callback that another browser began, with an application or without', async () => {
    auth.provider.loginAs('eve');
    for (const begun of [auth.authorizeUrl(), pageOf('eve')]) {
      const eve = newBrowser();
      const { url: callback } = await eve.open(begun, isCallback);
      const victim = newBrowser();
      const answer = await victim.request(callback);
      expect(personIn(victim), begun).equal(undefined);
      // Scripted clients of applications have no cookies; a page always has them.
      expect(answer.status).equal(begun.includes('/page') ? 400 : 302);
      const { url: again } = await eve.open(begun, isCallback);
      await eve.request(again);
      expect(personIn(eve), begun).not.equal(undefined);
    }
  });

  it('is not believed by an invented cookie, nor by the value of a former one', async () => {
    const invented = newBrowser();
    invented.setCookie(auth.base, `${PERSON}=${'x'.repeat(43)}; Path=/`);
    expect((await invented.request(pageOf('alice'))).status).equal(302);
    const browser = await browserOf('alice');
    const former = personIn(browser) ?? '';
    await auth.redirected({}, browser);
    expect(personIn(browser)).not.equal(former);
    const thief = newBrowser();
    thief.setCookie(auth.base, `${PERSON}=${former}; Path=/`);
    expect((await thief.request(pageOf('alice'))).status).equal(302);
    thief.setCookie(auth.base, `${PERSON}=${personIn(browser) ?? ''}; Path=/`);
    expect((await thief.request(pageOf('alice'))).status).equal(200);
  });

  it('is forgotten after sessionDuration', async () => {
    const clock = movableClock();
    const brief = await start({ config: { sessionDuration: '1h' } });
    const browser = newBrowser();
    await brief.redirected({}, browser);
    const query = new URLSearchParams({ issuer: brief.provider.url, subject: 'alice' });
    const page = `${brief.base}/page?${query.toString()}`;
    clock.later(3_500_000);
    expect((await browser.request(page)).status).equal(200);
    clock.later(200_000);
    expect((await browser.request(page)).status).equal(302);
  });

  it('cannot be known for a caller of another issuer, though the name is equal', async () => {
    const browser = await browserOf('alice');
    const other = pageOf('alice', { issuer: 'https://other.example' });
    expect((await browser.request(other)).text).equal('unknowable');
  });

  it('leads back to paths of this gateway only', async () => {
    const wrong = ['https://evil.example/', '//evil.example', '/\\evil.example', 'evil', '/a b', '/a\n', ''];
    for (const to of wrong.filter((one) => one !== ''))
      expect((await newBrowser().request(pageOf('alice', { to }))).text, to).equal('REQUEST_MALFORMED');
    expect((await newBrowser().request(pageOf('alice', { to: '/elsewhere?a=b' }))).status).equal(302);
  });

  it('shows that a sign-in was not completed, and lets the person try again', async () => {
    const browser = newBrowser();
    auth.provider.refuseLogins('access_denied');
    const refused = await browser.open(pageOf('alice'));
    expect([refused.status, personIn(browser)]).deep.equal([400, undefined]);
    expect(refused.text).contain('You are not signed in');
    auth.provider.loginAs('alice');
    expect((await follow(browser, refused)).text).equal('the page of alice');
  });

  it('is taken from each return of the identity provider once, and of none that is unknown', async () => {
    const browser = newBrowser();
    const { url: callback } = await browser.open(pageOf('alice'), isCallback);
    expect((await browser.request(callback)).status).equal(302);
    expect((await browser.request(callback)).status).equal(400);
  });
});
