import { expect } from 'chai';
import type { Caller } from '../../../../kernel/index.ts';
import { newBrowser } from '../../../support/browser.ts';
import type { Page } from '../../../support/browser.ts';
import { isCallback, setUp } from '../guardedGateway.ts';
import { peopleGateway } from '../peopleGateway.ts';
import type { PeopleGateway } from '../peopleGateway.ts';

const bob: Caller = {
  subject: 'bob',
  issuer: 'https://elsewhere.example',
  claims: { sid: 'ext-1', email: 'bob@<corp>.example', email_verified: true },
};
/** The issuer has verified neither address nor name. */
const mallory: Caller = {
  subject: 'mallory-7',
  issuer: 'https://elsewhere.example',
  claims: { email: 'alice@example.com', email_verified: false, name: 'Alice' },
};

describe('auth-client: a sign-in link in the hands of another person', () => {
  it('T93: shows a caller of another issuer whose link it is, before anything else happens', async () => {
    const { gateway } = await setUp();
    const browser = newBrowser();
    const link = await gateway.link('notes', bob);
    const page = await browser.open(link);
    expect(page).include({ status: 200, url: link });
    expect(page.text)
      .contain('Sign in at notes?')
      .contain('bob@&lt;corp&gt;.example')
      .contain('<form method="post"');
    expect((await browser.open(link)).url).equal(link);
    const done = await browser.submit(page, {});
    expect(done.text).contain('You are signed in');
    expect(await gateway.account('notes', bob)).equal('alice');
    expect(await gateway.account('notes')).equal(undefined);
  });

  it('names who has asked by a verified address, else by subject, and who says so', async () => {
    const { gateway } = await setUp();
    const asked = async (caller: Caller): Promise<string> =>
      (await newBrowser().open(await gateway.link('notes', caller))).text.replaceAll(/<[^>]+>|\s+/g, ' ');
    const unsaid = { ...mallory, claims: { email: 'alice@example.com', name: 'Alice' } };
    for (const caller of [mallory, unsaid])
      expect(await asked(caller))
        .match(/mallory-7 +\(signed in at +https:\/\/elsewhere\.example +\) has asked for this link/)
        .not.match(/alice/i);
    expect(await asked(bob)).match(/bob@&lt;corp&gt;\.example +\(signed in at +https:\/\/elsewhere\.example/);
  });

  it('T93: takes the button only from the browser that was shown the page', async () => {
    const { gateway } = await setUp();
    const link = await gateway.link('notes', bob);
    const shown = await newBrowser().open(link);
    const victim = newBrowser();
    for (const before of [undefined, link]) {
      if (before !== undefined) await victim.open(before);
      const page = await victim.submit(shown, {});
      expect(page, before).include({ status: 200 });
      expect(page.text).contain('Sign in at notes?');
    }
    expect(await gateway.account('notes', bob)).equal(undefined);
  });

  describe('of a person who has signed in at this gateway', () => {
    let people: PeopleGateway;
    before(async () => {
      people = await peopleGateway();
    });
    const open = async (as: string, of: string): Promise<Page> => {
      const { caller } = await people.signIn(of);
      const link = await people.link(caller);
      people.auth.provider.loginAs(as);
      return newBrowser().open(link, isCallback);
    };

    it('T93: leads on if the identity provider says that it is this person', async () => {
      const page = await open('alice', 'alice');
      expect(isCallback(page.url)).equal(true);
      expect(new URL(page.url).searchParams.get('code')).a('string');
    });

    it('T93: leads nowhere for another person', async () => {
      const page = await open('mallory', 'alice');
      expect(isCallback(page.url)).equal(false);
      expect(page.status).equal(403);
      expect(page.text).contain('This link belongs to another person').not.contain('alice');
    });
  });
});
