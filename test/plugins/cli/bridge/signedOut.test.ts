import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio';
import { expect } from 'chai';
import { TokenFile } from '../../../../plugins/cli/signIn/tokenFile.ts';
import { startAuthServer } from '../../../support/authServer.ts';
import type { AuthServer } from '../../../support/authServer.ts';
import { newBrowser } from '../../../support/browser.ts';
import type { Browser } from '../../../support/browser.ts';
import { defer } from '../../../support/cleanup.ts';
import { startDesktop } from '../../../support/desktop.ts';
import { makeDirectory } from '../../../support/directory.ts';
import type { Directory } from '../../../support/directory.ts';
import { packedProgram } from '../../../support/packed.ts';
import { typeAtTerminal } from '../../../support/typeVerb.ts';
import { until } from '../../../support/until.ts';

const TOOL = 'authenticate_pegboard';
const LINK = /^http\S+\/oauth\/authorize\?\S+$/m;

describe('plugins/cli: the bridge without a sign-in', function () {
  this.timeout(30_000);
  let auth: AuthServer;
  let endpoint = '';
  before(async () => {
    auth = await startAuthServer();
    endpoint = `${auth.base}/mcp`;
  });

  interface Bridged {
    readonly client: Client;
    readonly names: () => Promise<readonly string[]>;
    /** How often the client was told that the tools have changed. */
    readonly changes: () => number;
  }
  async function bridged(home: Directory, args: readonly string[] = [], env = {}): Promise<Bridged> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [packedProgram(), 'agent', '--config-path', home.path, '--endpoint', endpoint, ...args],
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stderr: 'ignore',
    });
    const client = new Client({ name: 'stdio-client', version: '1' });
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (changes += 1));
    defer(() => client.close());
    await client.connect(transport);
    const names = async (): Promise<readonly string[]> =>
      (await client.listTools()).tools.map(({ name }) => name);
    return { client, names, changes: () => changes };
  }
  function textOf(result: object): string {
    return (result as { content: { text: string }[] }).content.map(({ text }) => text).join('\n');
  }
  async function linkOf(client: Client): Promise<string> {
    const [link] = LINK.exec(textOf(await client.callTool({ name: TOOL }))) ?? [];
    if (link === undefined) throw new Error('no link');
    return link;
  }
  async function logIn(home: Directory, browser: Browser): Promise<void> {
    const args = ['auth', 'login', '--no-browser', '--config-path', home.path, '--endpoint', endpoint];
    const typing = typeAtTerminal(args);
    await browser.open(await typing.shows(/^ {2}(http\S+authorize\S+)$/m));
    expect(await typing.ended).include({ code: 0 });
  }

  it('offers one tool that gives the link; after the sign-in the session continues', async () => {
    const { client, names, changes } = await bridged(makeDirectory());
    expect(await names()).deep.equal([TOOL]);
    expect(client.getInstructions()).contain(TOOL);
    expect(await client.listPrompts()).deep.equal({ prompts: [] });
    expect(await client.listResources()).deep.equal({ resources: [] });
    await client.ping();
    const early = await client.callTool({ name: 'list_tools' });
    expect([early.isError, textOf(early)]).deep.equal([
      true,
      `A sign-in at the gateway is needed; call the tool ${TOOL} first.`,
    ]);
    const link = await linkOf(client);
    expect(await linkOf(client)).equal(link);
    expect(changes()).equal(0);
    expect((await newBrowser().open(link)).text).contain('You are signed in');
    await until(() => changes() > 0, { what: 'tools/list_changed' });
    expect(await names())
      .contain('list_tools')
      .and.not.contain(TOOL);
    const listed = await client.callTool({ name: 'list_tools' });
    expect(textOf(listed)).contain('"tools"');
  });

  it('takes the address of the last page from a person whose browser is elsewhere', async () => {
    const { client, names } = await bridged(makeDirectory());
    const link = await linkOf(client);
    const redirect = new URL(link).searchParams.get('redirect_uri') ?? '';
    const { url } = await newBrowser().open(link, (at) => at.startsWith(redirect));
    const wrong = await client.callTool({ name: TOOL, arguments: { answer: `${redirect}?code=x&state=y` } });
    expect(wrong.isError).equal(true);
    const right = await client.callTool({ name: TOOL, arguments: { answer: url } });
    expect(textOf(right)).contain('Signed in');
    expect(await names()).contain('list_tools');
  });

  it('serves a client of revision 2026-07-28', async () => {
    const args = [packedProgram(), 'agent', '--config-path', makeDirectory().path, '--endpoint', endpoint];
    const client = new NewClient(
      { name: 'stdio-client', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    defer(() => client.close());
    await client.connect(new NewStdio({ command: process.execPath, args, stderr: 'ignore' }));
    const names = async (): Promise<readonly string[]> =>
      (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).deep.equal([TOOL]);
    const [link = ''] = LINK.exec(textOf(await client.callTool({ name: TOOL }))) ?? [];
    await newBrowser().open(link);
    expect(await names()).contain('list_tools');
  });

  it('offers the tool in place of all others when the sign-in ends, and continues after a sign-in elsewhere', async () => {
    const home = makeDirectory();
    auth.provider.loginAs('carol');
    await logIn(home, newBrowser());
    const { client, names, changes } = await bridged(home);
    expect(await names()).contain('list_tools');
    await auth.provider.revoke('carol');
    const file = new TokenFile(home.path, endpoint);
    const tokens = await file.read();
    if (tokens === undefined) throw new Error('no tokens');
    await file.write({ ...tokens, access_token: 'refused' });
    const late = await client.callTool({ name: 'list_tools' });
    expect(late.isError).equal(true);
    await until(() => changes() === 1, { what: 'tools/list_changed' });
    expect(await names()).deep.equal([TOOL]);
    await logIn(home, newBrowser());
    expect(await names()).contain('list_tools');
  });

  it('--silent signs in without the tool if the browser knows the person', async () => {
    const home = makeDirectory();
    const browser = newBrowser();
    auth.provider.loginAs('dave');
    await logIn(home, browser);
    const file = new TokenFile(home.path, endpoint);
    const { access_token, refresh_token, ...rest } = (await file.read()) ?? {};
    expect([access_token, refresh_token]).not.contain(undefined);
    await file.write(rest as never);
    const { env, opened } = await startDesktop(browser);
    const { names } = await bridged(home, ['--silent'], env);
    expect(await names()).contain('list_tools');
    expect(opened.map(({ searchParams }) => searchParams.get('prompt'))).deep.equal(['none']);
  });
});
