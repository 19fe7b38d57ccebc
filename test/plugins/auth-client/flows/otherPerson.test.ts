import { expect } from 'chai';
import type { Caller } from '../../../../kernel/index.ts';
import { startAuthServer } from '../../../support/authServer.ts';
import type { AuthServer } from '../../../support/authServer.ts';
import { newBrowser } from '../../../support/browser.ts';
import type { Page } from '../../../support/browser.ts';
import { moduleOf } from '../../../support/gateway.ts';
import { startGuardedSite } from '../../../support/guardedSite.ts';
import { callAs, fakeUpstream, isCallback, setUp } from '../guardedGateway.ts';
import { ANYONE } from '../../../../kernel/index.ts';

const bob: Caller = {
  subject: 'bob',
  issuer: 'https://elsewhere.example',
  claims: { sid: 'ext-1', email: 'bob@<corp>.example' },
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
    let auth: AuthServer;
    let link: (caller: Caller) => Promise<string>;
    before(async () => {
      const site = await startGuardedSite();
      const upstream = fakeUpstream({ notes: { url: site.url } }, new Set());
      auth = await startAuthServer({
        builtIns: ['http', 'front', 'metatools', 'toolsets', 'vault-memory', 'auth-server', 'auth-client'],
        settings: {
          aggregator: { oauth: { mcpClient: { enabled: true } } },
          plugins: { [upstream.name]: { module: `./${upstream.name}.mjs` } },
        },
        files: { [`${upstream.name}.mjs`]: moduleOf(upstream) },
      });
      link = async (caller) => {
        const asked = { name: 'core_auth_login', args: { server: 'notes' }, request: { ...ANYONE, caller } };
        const { structuredContent } = await callAs(auth.gateway, asked);
        return (structuredContent as { readonly authUrl: string }).authUrl;
      };
    });
    const person = (subject: string): Caller => ({
      subject,
      issuer: auth.provider.url,
      claims: { sid: subject },
    });
    const open = async (as: string, of: string): Promise<Page> => {
      auth.provider.loginAs(as);
      return newBrowser().open(await link(person(of)), isCallback);
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
