import { expect } from 'chai';
import { newBrowser } from '../../../support/browser.ts';
import type { Browser, Page } from '../../../support/browser.ts';
import { movableClock } from '../../../support/clock.ts';
import { until } from '../../../support/until.ts';
import { isCallback } from '../guardedGateway.ts';
import { peopleGateway } from '../peopleGateway.ts';
import type { PeopleGateway, Person } from '../peopleGateway.ts';

interface Returned {
  readonly browser: Browser;
  /** URL of the callback, not opened yet. */
  readonly url: string;
  readonly link: string;
}
/** That person's browser on its return from the authorization server of `notes`. */
async function returning(people: PeopleGateway, { caller }: Person): Promise<Returned> {
  const browser = newBrowser();
  const link = await people.link(caller);
  const { url } = await browser.open(link, isCallback);
  expect(isCallback(url)).equal(true);
  return { browser, url, link };
}
function expectEnded({ status, text }: Page): void {
  expect(status).equal(400);
  expect(text).contain('Your sign-in at this gateway has ended').contain('ask for a new link');
}

describe('auth-client: a sign-in at a server by a session of this gateway that ends meanwhile', () => {
  it('is refused at the return, the code is not exchanged, and the link is of no use either', async () => {
    const people = await peopleGateway();
    const alice = await people.signIn();
    const { browser, url, link } = await returning(people, alice);
    await people.signOut(alice);
    expectEnded(await browser.open(url));
    expect(people.site.issuer.tokenRequests).deep.equal([]);
    expect(await people.grants()).deep.equal([]);
    expectEnded(await browser.open(link));
    expectEnded(await newBrowser().open(link));
    expect(people.auth.gateway.log.having('not completed')[0]?.data).include({ server: 'notes' });
  });

  it('completes while it lasts, and a new session completes a new link', async () => {
    const people = await peopleGateway();
    const former = await people.signIn();
    await people.signOut(former);
    const alice = await people.signIn();
    const { browser, url } = await returning(people, alice);
    expect((await browser.open(url)).text).contain('You are signed in');
    expect((await people.grants()).length).equal(1);
  });

  it('is refused if the session has come to its end by itself', async () => {
    const clock = movableClock();
    const people = await peopleGateway();
    await people.auth.configureServer({ sessionDuration: '5m' });
    const alice = await people.signIn();
    const { browser, url } = await returning(people, alice);
    clock.later(301_000);
    expectEnded(await browser.open(url));
    expect(people.site.issuer.tokenRequests).deep.equal([]);
  });

  it('leaves nothing if the session ends while the code is exchanged: the grant is revoked', async () => {
    const people = await peopleGateway();
    const { issuer } = people.site;
    const alice = await people.signIn();
    const { browser, url } = await returning(people, alice);
    issuer.pause('/token');
    const page = browser.open(url);
    await until(() => issuer.requests('/token') === 1, { what: 'a token request' });
    await people.signOut(alice);
    issuer.resume();
    expectEnded(await page);
    expect(await people.grants()).deep.equal([]);
    expect(issuer.requests('/token/revocation')).equal(1);
  });

  it('completes with grantScope subject: the grant belongs to the person', async () => {
    const people = await peopleGateway({ type: 'oauth', grantScope: 'subject' });
    const alice = await people.signIn();
    const { browser, url } = await returning(people, alice);
    await people.signOut(alice);
    expect((await browser.open(url)).text).contain('You are signed in');
    expect((await people.grants()).length).equal(1);
  });
});
