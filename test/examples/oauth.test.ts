import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect } from 'chai';
import { newBrowser, signIn } from '../support/browser.ts';
import type { Browser } from '../support/browser.ts';
import { startOAuthExample } from '../support/oauthExample.ts';
import { SDK_CALLBACK, sdkSignIn } from '../support/sdkSignIn.ts';
import { until } from '../support/until.ts';

/** Signs in without JavaScript. */
function as(name: string, password: string, browser?: Browser): (url: URL) => Promise<URL> {
  return ({ href }) =>
    signIn(href, {
      until: (url) => url.startsWith(SDK_CALLBACK),
      fill: ({ status }) => (status === 200 ? { name, password } : undefined),
      ...(browser && { browser }),
    });
}
async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name: 'call_tool', arguments: { name, arguments: args } });
  return (content as { text: string }[])[0]!.text;
}
/** Once the server has started. */
async function toolsOf(client: Client): Promise<readonly string[]> {
  const listed = async (): Promise<readonly string[] | undefined> => {
    const { content } = await client.callTool({ name: 'list_tools', arguments: {} });
    return (content as { text: string }[])[0]!.text.match(/x_everything_[\w-]+/g) ?? undefined;
  };
  return until(listed, { what: 'tools of everything', withinMs: 30_000 });
}

describe('the example oauth', function () {
  this.timeout(60_000);

  it('signs two people in at its identity provider; each sees the tools of their groups', async () => {
    const { endpoint } = await startOAuthExample();
    const [alice, bob] = await Promise.all([
      sdkSignIn(endpoint, as('alice', 'wonderland')),
      sdkSignIn(endpoint, as('bob', 'builder')),
    ]);
    const [all, reading] = [await toolsOf(alice), await toolsOf(bob)];
    expect(all).include('x_everything_echo');
    expect(all.length).greaterThan(reading.length);
    const wrong = await sdkSignIn(endpoint, as('alice', 'guess')).catch((error: unknown) => String(error));
    expect(wrong).contain('(401)').contain('No one here has this name and password');
  });

  it('signs alice in at its server by one link, without a password, and keeps her notes from bob', async () => {
    const { endpoint } = await startOAuthExample();
    const browser = newBrowser();
    const alice = await sdkSignIn(endpoint, as('alice', 'wonderland', browser));
    const login = await call(alice, 'core_auth_login', { server: 'notes' });
    const [link = login] = /http:[^\s"]+proxy\/start[^\s"]+/.exec(login) ?? [];
    expect((await browser.open(link)).text).contain('Signed in');
    expect(await call(alice, 'x_notes_add', { text: 'buy milk' })).equal('notes of alice: buy milk');
    const bob = await sdkSignIn(endpoint, as('bob', 'builder'));
    expect(await call(bob, 'x_notes_list'))
      .contain('core_auth_login')
      .and.not.contain('milk');
  });
});
