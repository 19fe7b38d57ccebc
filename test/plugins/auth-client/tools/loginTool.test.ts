import { expect } from 'chai';
import type { Caller } from '../../../../kernel/index.ts';
import { guardedGateway, setUp } from '../guardedGateway.ts';
import type { FakeServer } from '../guardedGateway.ts';

const URL = 'http://127.0.0.1:9/mcp';
const ann: Caller = { subject: 'ann', issuer: 'https://login.example' };
const LOGIN = 'core_auth_login';

/** What core_auth_login says about a server, and whether it is an error. */
async function answer(server: Partial<FakeServer>, isEnabled = true): Promise<readonly [string, boolean]> {
  const gateway = await guardedGateway({ s: { url: URL, ...server } }, { mcpClient: { enabled: isEnabled } });
  const { content, isError = false } = await gateway.call(LOGIN, { server: 's' });
  return [String(content[0]?.['text']), isError];
}

describe('core_auth_login', () => {
  it('needs the name of a server', async () => {
    const gateway = await guardedGateway({});
    for (const args of [{}, { server: 7 }, { server: '' }]) {
      const { content, isError } = await gateway.call(LOGIN, args);
      expect([content[0]?.['text'], isError]).deep.equal([
        "Error: 'server' argument is required and must be a string",
        true,
      ]);
    }
    expect(await gateway.tell(LOGIN, { server: 'x' })).equal(
      "Server 'x' not found. Use list_tools to see available servers.",
    );
  });

  it('T101: is refused for a suspended server, whatever else is true of it', async () => {
    for (const isPersonal of [true, false]) {
      const [text, isError] = await answer({ isSuspended: true, isPersonal }, isPersonal);
      expect(isError).equal(true);
      expect(text).equal(
        "Server 's' is deactivated (spec.suspended=true); activate it with core_service_start before signing in",
      );
    }
  });

  it('says that a server without sign-in needs none', async () => {
    expect(await answer({ isPersonal: false, state: 'connected' })).deep.equal([
      "Server 's' is already authenticated and connected.",
      false,
    ]);
    expect(await answer({ isPersonal: false, state: 'failed' })).deep.equal([
      "Server 's' does not require authentication.",
      false,
    ]);
  });

  it('says what to configure while sign-ins at servers are off', async () => {
    for (const server of [{}, { isPersonal: false, wantsSignIns: true }]) {
      const [text, isError] = await answer(server, false);
      expect(isError).equal(true);
      expect(text).match(
        /^OAuth is not configured\. Server 's' requires authentication but OAuth proxy is not enabled\. .*aggregator\.oauth\.mcpClient\.enabled/,
      );
    }
    const open = { isPersonal: false, wantsSignIns: true, state: 'connected' };
    expect(await answer(open, false)).deep.equal([
      "Server 's' is already authenticated and connected.",
      false,
    ]);
  });

  it('gives no link for servers with single sign-on', async () => {
    const [text, isError] = await answer({ auth: { forwardToken: true } });
    expect(isError).equal(true);
    expect(text).match(
      /^Server 's' uses SSO and is connected automatically\.\n\nManual login via core_auth_login/,
    );
  });

  it('gives the link as text and as authUrl, and tells once what the server offers', async () => {
    const { gateway } = await setUp();
    const { content, structuredContent, isError } = await gateway.call(LOGIN, { server: 'notes' });
    const { authUrl } = structuredContent as { readonly authUrl: string };
    expect(isError).equal(undefined);
    expect(content[0]?.['text']).equal(
      `Authentication Required\n\nServer: notes\nStatus: Authentication required for notes. Please visit the link below to authenticate.\n\nPlease sign in to connect to this server:\n\n${authUrl}\n\nAfter signing in, run this tool again to complete the connection.`,
    );
    const server = gateway.servers['notes'];
    if (server !== undefined) server.isSuspended = true;
    await gateway.follow(authUrl);
    if (server !== undefined) server.isSuspended = false;
    expect(await gateway.tell(LOGIN, { server: 'notes' })).equal(
      "Successfully connected to 'notes'!\n\nAvailable capabilities:\n- Tools: 2\n- Resources: 1\n- Prompts: 0\n\nYou can now use the tools from this server.",
    );
    expect(await gateway.tell(LOGIN, { server: 'notes' })).equal("Server 'notes' is already authenticated.");
  });

  it('says why a server with a grant cannot be connected, and gives a link if it refuses the grant', async () => {
    const { site, gateway } = await setUp();
    await gateway.follow(await gateway.link('notes'));
    const server = gateway.servers['notes'];
    if (server !== undefined) server.fault = 'no answer from notes';
    const { content, isError } = await gateway.call(LOGIN, { server: 'notes' });
    expect([content[0]?.['text'], isError]).deep.equal([
      "Failed to connect to 'notes': no answer from notes\n\nPlease try again or check the server status.",
      true,
    ]);
    if (server !== undefined) delete server.fault;
    site.refuseTokens();
    expect(await gateway.link('notes')).contain('/oauth/proxy/start?state=');
  });

  it('is admitted ten times a minute for each person and server', async () => {
    const { gateway } = await setUp();
    const ask = (caller?: Caller): Promise<string> => gateway.tell(LOGIN, { server: 'x' }, caller);
    for (let count = 0; count < 10; count += 1) expect(await ask()).contain('not found');
    expect(await ask()).equal(
      'Rate limit exceeded. Too many authentication attempts.\n\nPlease wait a moment before trying again.\nRemaining attempts: 0',
    );
    expect(await ask(ann)).contain('not found');
    expect(await gateway.tell(LOGIN, { server: 'y' })).contain('not found');
  });

  it('is admitted sixty times a minute for each person, and says how long to wait then', async () => {
    const { gateway } = await setUp();
    for (let count = 0; count < 60; count += 1)
      expect(await gateway.tell(LOGIN, { server: `x${count}` })).contain('not found');
    const { content, structuredContent, isError } = await gateway.call(LOGIN, { server: 'notes' });
    expect([content.length, isError]).deep.equal([1, true]);
    expect(content[0]?.['text']).contain('Rate limit exceeded.');
    const { retryAfter } = structuredContent as { readonly retryAfter: number };
    expect(retryAfter).within(1, 60);
    expect(await gateway.link('notes', ann)).contain('/oauth/proxy/start?state=');
  });

  it('is admitted anew after a success', async () => {
    const { gateway } = await setUp();
    const server = gateway.servers['notes'];
    const link = await gateway.link('notes');
    if (server !== undefined) server.isSuspended = true;
    await gateway.follow(link);
    for (let count = 0; count < 8; count += 1) await gateway.tell(LOGIN, { server: 'x' });
    if (server !== undefined) server.isSuspended = false;
    expect(await gateway.tell(LOGIN, { server: 'notes' })).contain('Successfully connected');
    for (let count = 0; count < 10; count += 1)
      expect(await gateway.tell(LOGIN, { server: 'x' })).contain('not found');
  });

  it('keeps the grants of two people, and of two sign-ins of one, apart', async () => {
    const { gateway } = await setUp();
    const other = { ...ann, claims: { sid: 'ext-2' } };
    await gateway.follow(await gateway.link('notes'));
    expect(await gateway.account('notes')).equal('alice');
    expect(await gateway.account('notes', ann)).equal(undefined);
    expect(await gateway.account('notes', other)).equal(undefined);
    expect(await gateway.tell(LOGIN, { server: 'notes' }, other)).contain('Authentication Required');
  });
});

describe('core_auth_logout', () => {
  const LOGOUT = 'core_auth_logout';

  it('discards the grant, revokes it and hides the tools, for suspended servers too', async () => {
    for (const isSuspended of [false, true]) {
      const { site, gateway } = await setUp();
      await gateway.follow(await gateway.link('notes'));
      const server = gateway.servers['notes'];
      if (server !== undefined) server.isSuspended = isSuspended;
      expect(await gateway.tell(LOGOUT, { server: 'notes' })).equal(
        "Successfully logged out from 'notes'.\n\nThe server's tools are now hidden. Use core_auth_login with server='notes' to re-authenticate.",
      );
      expect(await gateway.account('notes')).equal(undefined);
      expect(gateway.connections.size).equal(0);
      expect(site.issuer.requests('/token/revocation')).equal(1);
    }
  });

  it('succeeds if the authorization server does not answer, and twice', async () => {
    const { site, gateway } = await setUp();
    await gateway.follow(await gateway.link('notes'));
    await site.issuer.close();
    for (let count = 0; count < 2; count += 1)
      expect(await gateway.tell(LOGOUT, { server: 'notes' })).contain('Successfully logged out');
    expect(await gateway.account('notes')).equal(undefined);
  });

  it('refuses what it cannot do', async () => {
    const gateway = await guardedGateway({ sso: { url: URL, auth: { forwardToken: true } } });
    expect(await gateway.tell(LOGOUT, {})).equal("Error: 'server' argument is required and must be a string");
    expect(await gateway.tell(LOGOUT, { server: 'x' })).equal("Server 'x' not found.");
    expect(await gateway.tell(LOGOUT, { server: 'sso' })).match(
      /^Server 'sso' uses SSO and is managed automatically\.\n\nManual logout via core_auth_logout is not supported for SSO servers\.\nTo disconnect, /,
    );
  });
});
