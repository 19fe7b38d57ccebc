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
/** The first text of a meta-tool. */
async function told(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  return (content as { text: string }[])[0]!.text;
}
function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  return told(client, 'call_tool', { name, arguments: args });
}
function linkIn(login: string): string {
  const [link = login] = /http:[^\s"]+proxy\/start[^\s"]+/.exec(login) ?? [];
  return link;
}
interface Call extends Record<string, unknown> {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}
interface Found {
  readonly hint?: string;
  readonly servers_requiring_auth?: readonly { readonly call_tool: Call }[];
  readonly tools: readonly { readonly call_tool?: Call }[];
}
/** Once the server has started. */
async function toolsOf(client: Client): Promise<readonly string[]> {
  const listed = async (): Promise<readonly string[] | undefined> =>
    (await told(client, 'list_tools', {})).match(/x_everything_[\w-]+/g) ?? undefined;
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
    expect((await browser.open(linkIn(login))).text).contain('Signed in');
    expect(await call(alice, 'x_notes_add', { text: 'buy milk' })).equal('notes of alice: buy milk');
    const bob = await sdkSignIn(endpoint, as('bob', 'builder'));
    expect(await call(bob, 'x_notes_list'))
      .contain('core_auth_login')
      .and.not.contain('milk');
  });

  it('leads an agent that searches alone to the link, and after it to the note', async () => {
    const { endpoint } = await startOAuthExample();
    const browser = newBrowser();
    const alice = await sdkSignIn(endpoint, as('alice', 'wonderland', browser));
    const search = async (query: string): Promise<Found> =>
      JSON.parse(await told(alice, 'filter_tools', { query })) as Found;
    for (const query of ['my notes', 'add a note: buy milk']) {
      const { hint, servers_requiring_auth: locked } = await search(query);
      expect(hint, query).match(/^server notes .*sign-in: run its call_tool/);
      expect(locked, query).deep.equal([
        {
          name: 'notes',
          summary: 'Keeps notes for each person',
          status: 'auth_required',
          auth_tool: 'core_auth_login',
          call_tool: { name: 'core_auth_login', arguments: { server: 'notes' } },
        },
      ]);
    }
    const [lock] = (await search('add a note: buy milk')).servers_requiring_auth ?? [];
    const login = await told(alice, 'call_tool', lock!.call_tool);
    expect((await browser.open(linkIn(login))).text).contain('Signed in');
    const { servers_requiring_auth: locked, tools } = await search('add a note: buy milk');
    expect(locked).equal(undefined);
    const { name, arguments: args } = tools[0]!.call_tool!;
    expect(args).deep.equal({ text: '<string>' });
    const noted = await told(alice, 'call_tool', { name, arguments: { text: 'buy milk' } });
    expect(noted).equal('notes of alice: buy milk');
  });
});
