import { expect } from 'chai';
import { newBrowser } from '../../../support/browser.ts';
import type { Browser, Page } from '../../../support/browser.ts';
import { movableClock } from '../../../support/clock.ts';
import { isCallback, setUp } from '../guardedGateway.ts';
import type { GuardedGateway } from '../guardedGateway.ts';

const EXPIRED = 'Authentication session expired. Please try again.';
const DENIED = 'Authentication was denied or failed. Please try again.';

interface Returned {
  readonly gateway: GuardedGateway;
  readonly browser: Browser;
  /** URL of the callback, not opened yet. */
  readonly url: URL;
  readonly handle: string;
}
/** A browser on its return from the authorization server. */
async function returning(isNamed = true): Promise<Returned> {
  const { site, gateway } = await setUp();
  if (!isNamed)
    site.issuer.changeMetadata((honest) => ({
      ...honest,
      authorization_response_iss_parameter_supported: undefined,
    }));
  const browser = newBrowser();
  const link = await gateway.link('notes');
  const { url } = await browser.open(link, isCallback);
  return { gateway, browser, url: new URL(url), handle: new URL(link).searchParams.get('state') ?? '' };
}
function changed(url: URL, parameters: Readonly<Record<string, string | undefined>>): string {
  const next = new URL(url);
  for (const [name, value] of Object.entries(parameters)) {
    next.searchParams.delete(name);
    if (value !== undefined) next.searchParams.set(name, value);
  }
  return next.href;
}
/** Refused with that text, and nothing is stored. */
async function expectRefusal(page: Page, gateway: GuardedGateway, text: string): Promise<void> {
  expect(page.status).equal(400);
  expect(page.text).contain(text).and.contain('pegboard auth login --server ');
  expect(page.headers.get('content-security-policy')).contain("default-src 'none'");
  expect(page.headers.get('cache-control')).equal('no-store');
  expect(await gateway.account('notes')).equal(undefined);
}

describe('auth-client: the return from an authorization server', () => {
  it('T90: is refused with a foreign iss, or without the one that is announced', async () => {
    for (const iss of ['https://evil.example', undefined, '']) {
      const { gateway, browser, url } = await returning();
      await expectRefusal(await browser.open(changed(url, { iss })), gateway, DENIED);
    }
    const { gateway, browser, url } = await returning();
    expect((await browser.open(url.href)).status).equal(200);
    expect(await gateway.account('notes')).equal('alice');
  });

  it('T90: needs no iss from a server that does not announce it, and refuses a foreign one still', async () => {
    const foreign = await returning(false);
    const page = await foreign.browser.open(changed(foreign.url, { iss: 'https://evil.example' }));
    await expectRefusal(page, foreign.gateway, DENIED);
    const { gateway, browser, url } = await returning(false);
    expect((await browser.open(changed(url, { iss: undefined }))).status).equal(200);
    expect(await gateway.account('notes')).equal('alice');
  });

  it('T91: is accepted once, and not after ten minutes', async () => {
    const { browser, url } = await returning();
    expect((await browser.open(url.href)).status).equal(200);
    const again = await browser.open(url.href);
    expect([again.status, again.text.includes(EXPIRED)]).deep.equal([400, true]);
    const clock = movableClock();
    const late = await returning();
    clock.later(601_000);
    await expectRefusal(await late.browser.open(late.url.href), late.gateway, EXPIRED);
  });

  it('T91: of two that come at once, one is accepted', async () => {
    const { gateway, browser, url } = await returning();
    const pages = await Promise.all([browser.request(url.href), browser.request(url.href)]);
    expect(pages.map(({ status }) => status).sort()).deep.equal([200, 400]);
    expect(await gateway.account('notes')).equal('alice');
  });

  it('T91: is refused with the state of another sign-in, and with an unknown one', async () => {
    const { gateway, browser, url } = await returning();
    const other = await returning();
    const state = other.url.searchParams.get('state') ?? '';
    await expectRefusal(await browser.open(changed(url, { state })), gateway, EXPIRED);
    await expectRefusal(await browser.open(changed(url, { state: 'x'.repeat(43) })), gateway, EXPIRED);
    const none = await browser.open(changed(url, { state: undefined }));
    await expectRefusal(none, gateway, 'Invalid callback: missing required parameters');
  });

  it('T92: has a random state, another one than the link and for each browser', async () => {
    const { gateway, url, handle } = await returning();
    const state = url.searchParams.get('state') ?? '';
    expect(state)
      .match(/^[\w-]{43}$/)
      .not.equal(handle);
    const text = Buffer.from(state, 'base64url').toString('latin1');
    expect(text).not.match(/local|notes|alice/);
    const link = await gateway.link('notes');
    const states = await Promise.all(
      [1, 2].map(async () => (await newBrowser().request(link)).headers.get('location')),
    );
    expect(new Set(states).size).equal(2);
  });

  it('T93: is refused in another browser than the one that began it', async () => {
    for (const other of [newBrowser(), (await returning()).browser]) {
      const { gateway, url } = await returning();
      await expectRefusal(await other.open(url.href), gateway, EXPIRED);
    }
  });

  it('shows nothing of a refusal, and the link stays of use', async () => {
    const { site, gateway } = await setUp();
    const link = await gateway.link('notes');
    site.issuer.refuseLogins('access_denied', 'call +1 555 0100');
    const page = await gateway.follow(link);
    await expectRefusal(page, gateway, DENIED);
    expect(page.text).not.contain('555');
    expect((await newBrowser().request(link)).status).equal(302);
  });

  it('needs a code', async () => {
    const { gateway, browser, url } = await returning();
    const page = await browser.open(changed(url, { code: undefined }));
    await expectRefusal(page, gateway, 'Invalid callback: missing required parameters');
  });

  it('does not connect a server that was suspended meanwhile; the grant stays', async () => {
    const { gateway, browser, url } = await returning();
    const server = gateway.servers['notes'];
    if (server !== undefined) server.isSuspended = true;
    expect((await browser.open(url.href)).status).equal(200);
    expect(gateway.connections.size).equal(0);
    expect(await gateway.account('notes')).equal('alice');
  });

  it('says so if the server cannot be used yet', async () => {
    const { site, gateway } = await setUp();
    const link = await gateway.link('notes');
    site.refuseTokens();
    const page = await gateway.follow(link);
    expect(page.status).equal(200);
    expect(page.text).contain('It cannot be used yet: MCP server notes');
  });
});
