import { expect } from 'chai';
import type { Caller } from '../../../../kernel/index.ts';
import { newBrowser } from '../../../support/browser.ts';
import { guardedGateway } from '../guardedGateway.ts';
import type { GuardedGateway } from '../guardedGateway.ts';

const LOGIN = 'core_auth_login';
const bob: Caller = { subject: 'bob', issuer: 'https://elsewhere.example', claims: { name: 'Alice' } };
const SECRET = 'ghp_0123456789abcdef';

function start(...callerSecrets: readonly string[]): Promise<GuardedGateway> {
  return guardedGateway({ hub: { url: 'http://127.0.0.1:9/mcp', auth: { callerSecrets } } });
}

describe('auth-client: secrets of a person for a server', () => {
  it('are entered on a page of the gateway, and used for the calls of that person only', async () => {
    const gateway = await start('github', 'other');
    const link = await gateway.link('hub');
    expect(link).match(/\/oauth\/proxy\/secrets\?state=[\w-]{43}$/);
    const browser = newBrowser();
    const form = await browser.open(link);
    expect(form.text.match(/type="password"/g)).lengthOf(2);
    expect(form.headers.get('cache-control')).equal('no-store');
    const done = await browser.submit(form, { 'secret github': SECRET, 'secret other': ' b ' });
    expect(done.status).equal(200);
    expect(done.text).contain('is saved').not.contain(SECRET);
    expect(gateway.servers['hub']?.received).deep.equal({ github: SECRET, other: 'b' });
    expect(await gateway.tell(LOGIN, { server: 'hub' })).equal("Server 'hub' is already authenticated.");
    expect(await gateway.tell(LOGIN, { server: 'hub' }, bob)).contain('Authentication Required');
    expect(JSON.stringify(gateway.log.records)).not.contain(SECRET);
  });

  it('are described, with the place of the server, and corrected at the same place if it refuses them', async () => {
    const gateway = await start('github', 'other');
    const hub = gateway.servers['hub']!;
    hub.secretWords = { github: 'A token of <https://github.example/tokens>' };
    hub.refuses = 'wrong';
    const browser = newBrowser();
    const form = await browser.open(await gateway.link('hub'));
    expect(form.text.replace(/\s+/g, ' '))
      .contain('<strong>hub</strong> (127.0.0.1:9)')
      .contain('A token of &lt;https://github.example/tokens&gt;');
    const refused = await browser.submit(form, { 'secret github': 'wrong', 'secret other': 'b' });
    expect(refused.status).equal(400);
    expect(refused.text)
      .contain('hub does not accept what you entered')
      .not.match(/Saved|core_auth_login|wrong/);
    const done = await browser.submit(refused, { 'secret github': SECRET, 'secret other': 'b' });
    expect(done.text).contain('Saved');
    expect(hub.received).deep.equal({ github: SECRET, other: 'b' });
  });

  it('say why a server cannot be used for another reason', async () => {
    const gateway = await start('github');
    gateway.servers['hub']!.fault = 'connect ECONNREFUSED';
    const browser = newBrowser();
    const form = await browser.open(await gateway.link('hub'));
    const done = await browser.submit(form, { 'secret github': SECRET });
    expect(done.text).contain('Saved, but not usable yet').contain('connect ECONNREFUSED');
  });

  it('are asked for once: the link is of no use afterwards', async () => {
    const gateway = await start('github');
    const browser = newBrowser();
    const link = await gateway.link('hub');
    const form = await browser.open(link);
    await browser.submit(form, { 'secret github': SECRET });
    const again = await browser.submit(form, { 'secret github': 'another' });
    expect(again.status).equal(400);
    expect(again.text).contain('Authentication session expired. Please try again.');
    expect(gateway.servers['hub']?.received).deep.equal({ github: SECRET });
  });

  it('are accepted only from the browser that was shown the page', async () => {
    const gateway = await start('github');
    const form = await newBrowser().open(await gateway.link('hub'));
    const other = newBrowser();
    const withoutCookie = await other.submit(form, { 'secret github': SECRET });
    const withAnotherCookie = await other.submit(form, { 'secret github': SECRET });
    for (const { text } of [withoutCookie, withAnotherCookie])
      expect(text).contain('type="password"').not.contain(SECRET);
    expect(gateway.servers['hub']?.received).equal(undefined);
  });

  it('are refused if they are empty, too long or could not be sent', async () => {
    const gateway = await start('github');
    const browser = newBrowser();
    const form = await browser.open(await gateway.link('hub'));
    const bad = {
      '': 'is empty',
      ['x'.repeat(4_097)]: 'more than 4096',
      'a\nb': 'cannot be sent',
      ü: 'cannot be sent',
    };
    for (const [value, reason] of Object.entries(bad)) {
      const page = await browser.submit(form, { 'secret github': value });
      expect(page.status, reason).equal(400);
      expect(page.text).contain(reason);
    }
    expect((await browser.submit(form, { 'secret github': 'x'.repeat(4_096) })).status).equal(200);
  });

  it('name the person to a browser that cannot prove who it is', async () => {
    const gateway = await start('github');
    const browser = newBrowser();
    const form = await browser.open(await gateway.link('hub', bob));
    expect(form.text.replace(/\s+/g, ' '))
      .contain('<strong>bob</strong> (signed in at <strong>https://elsewhere.example</strong>)')
      .contain('Continue only if that is you')
      .not.contain('Alice');
    expect((await browser.submit(form, { 'secret github': SECRET })).status).equal(200);
    expect(await gateway.tell(LOGIN, { server: 'hub' }, bob)).contain('already authenticated');
  });

  it('are deleted by core_auth_logout', async () => {
    const gateway = await start('github');
    const browser = newBrowser();
    await browser.submit(await browser.open(await gateway.link('hub')), { 'secret github': SECRET });
    await gateway.tell('core_auth_logout', { server: 'hub' });
    expect(await gateway.tell(LOGIN, { server: 'hub' })).contain('Authentication Required');
  });

  it('are not asked for by a link that was made up', async () => {
    const { url } = await start('github');
    const page = async (query: string): Promise<string> =>
      (await newBrowser().open(`${url}/oauth/proxy/secrets${query}`)).text;
    expect(await page('')).contain('Invalid sign-in link: missing required parameters');
    expect(await page(`?state=${'a'.repeat(43)}`)).contain('Authentication session expired');
  });
});
