import { expect } from 'chai';
import { startAuthServer } from '../../../support/authServer.ts';
import { newBrowser } from '../../../support/browser.ts';
import { movableClock } from '../../../support/clock.ts';
import { startDesktop } from '../../../support/desktop.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { typeAtTerminal, typeVerb } from '../../../support/typeVerb.ts';
import type { Typed, Typing } from '../../../support/typeVerb.ts';
import { until } from '../../../support/until.ts';
import { makeServers, startServersGateway } from './serversPlugin.ts';
import type { ServersGateway } from './serversPlugin.ts';

const LINK = /^ {2}(http\S+\/oauth\/proxy\/start\?\S+)$/m;
const LOCKED = { status: 'auth_required', auth_tool: 'core_auth_login' };

describe('pegboard auth with servers', function () {
  this.timeout(30_000);

  it('login --server opens the link of the server and waits until it is connected', async () => {
    const gateway = await startServersGateway({ alpha: LOCKED, beta: LOCKED });
    const { env, opened } = await startDesktop(newBrowser());
    const typed = await type(gateway, ['login', '--server', 'alpha', '-o', 'json'], env);
    expect(typed.code, typed.stderr).equal(0);
    expect(typed.stderr).contain('Sign in at alpha in the browser.').and.contain('signed in at alpha\n');
    expect(opened.map(({ pathname }) => pathname)).deep.equal(['/oauth/proxy/start']);
    expect(JSON.parse(typed.stdout)).deep.equal({
      endpoint: gateway.endpoint,
      servers: [{ name: 'alpha', status: 'connected', grant: { state: 'valid' } }],
    });
    expect(gateway.calls).deep.equal(['login alpha']);
    const again = await type(gateway, ['login', '--server', 'alpha']);
    expect(again).include({ code: 0, stderr: 'server alpha is connected already\n' });
  });

  it('login --no-browser shows the link, with and without a terminal', async () => {
    const gateway = await startServersGateway({ alpha: LOCKED, beta: LOCKED });
    const typing = begin(gateway, 'login', '--server', 'alpha', '--no-browser');
    await newBrowser().open(await typing.shows(LINK));
    expect((await typing.ended).code).equal(0);
    const piped = type(gateway, ['login', '--server', 'beta', '--no-browser', '-q']);
    await until(() => gateway.reads() > 5);
    gateway.servers['beta'] = { status: 'connected' };
    const { code, stderr } = await piped;
    expect(code).equal(0);
    expect(stderr).match(LINK).and.not.contain('signed in');
  });

  it('login --all leads the browser through all servers that want it, and through no other', async () => {
    const gateway = await startServersGateway({
      alpha: LOCKED,
      beta: { status: 'connected' },
      gamma: { ...LOCKED, status: 'reauth_required', grant: { state: 'lost', reason: 'revoked' } },
      delta: { status: 'disconnected', suspended: true },
      forwards: { status: 'reauth_required', token_forwarding_enabled: true, sso_attempt_failed: true },
      scopes: { status: 'connected', grant: { state: 'valid', missingScopes: ['mcp:write'] } },
    });
    const { env, opened } = await startDesktop(newBrowser());
    const { code, stderr } = await type(gateway, ['login', '--all'], env);
    expect(code, stderr).equal(0);
    expect(opened.length).equal(1);
    expect(gateway.opened).deep.equal(['alpha', 'gamma', 'scopes']);
    for (const name of gateway.opened) expect(stderr).contain(`signed in at ${name}\n`);
    expect(stderr).contain('single sign-on failed at forwards').and.not.contain('no server wants a sign-in');
    const none = await type(gateway, ['login', '--all'], env);
    expect([none.code, opened.length]).deep.equal([0, 1]);
    expect(none.stderr).contain('no server wants a sign-in');
  });

  it('login --all signs in at the others when one refuses, and ends with exit code 3', async () => {
    const gateway = await startServersGateway({
      alpha: { ...LOCKED, refusal: 'no metadata found' },
      beta: LOCKED,
    });
    const { env } = await startDesktop(newBrowser());
    const { code, stderr } = await type(gateway, ['login', '--all'], env);
    expect(code).equal(3);
    expect(stderr).contain('signed in at beta\n').and.contain('pegboard: alpha: no metadata found\n');
    const one = await type(gateway, ['login', '--server', 'alpha'], env);
    expect(one).include({ code: 3, stderr: 'pegboard: no metadata found\n' });
  });

  it('login --all signs in at thirty servers in ten turns of the browser, and tells what failed where', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `server-${String(at + 10)}`);
    const gateway = await startServersGateway({
      ...Object.fromEntries(names.map((name) => [name, LOCKED])),
      'server-15': { ...LOCKED, refusal: 'no metadata found' },
      'server-21': { ...LOCKED, retryAfter: 0.1 },
      'server-33': { ...LOCKED, refusal: 'it registers no clients' },
    });
    const { env, opened } = await startDesktop(newBrowser());
    const { code, stderr } = await type(gateway, ['login', '--all'], env);
    expect(code, stderr).equal(3);
    const failed = ['server-15', 'server-33'];
    expect([...gateway.opened].sort()).deep.equal(names.filter((name) => !failed.includes(name)));
    expect(gateway.calls.filter((call) => call === 'login server-21')).lengthOf(2);
    expect(stderr).contain('the gateway admits the next sign-in in 1 s; waiting\n');
    for (const fault of ['server-15: no metadata found', 'server-33: it registers no clients'])
      expect(stderr).contain(`pegboard: ${fault}\n`);
    expect(opened).lengthOf(10);
  });

  it('login --all tells what failed where, and what was late', async () => {
    const clock = movableClock();
    const gateway = await startServersGateway({
      alpha: { ...LOCKED, refusal: 'no metadata found' },
      beta: LOCKED,
    });
    const late = begin(gateway, 'login', '--all', '--no-browser');
    await late.shows(LINK);
    clock.later(121_000);
    const { code, stderr } = await late.ended;
    expect(code).equal(3);
    expect(stderr).contain('pegboard: alpha: no metadata found\n').and.contain('no sign-in at beta within');
  });

  it('login --server says why there is nothing to sign in to', async () => {
    const gateway = await startServersGateway({
      forwards: { status: 'connected', token_forwarding_enabled: true },
      stopped: { status: 'disconnected', suspended: true },
      down: { status: 'unreachable', error: 'connect ECONNREFUSED' },
    });
    const run = (name: string): Promise<Typed> => type(gateway, ['login', '--server', name]);
    const [forwards, stopped, down, unknown] = await Promise.all(
      ['forwards', 'stopped', 'down', 'dwn'].map(run),
    );
    expect(forwards?.code).equal(0);
    expect(forwards?.stderr).contain('single sign-on');
    expect(stopped).include({ code: 1 });
    expect(stopped?.stderr).contain('pegboard start stopped');
    expect(down).include({ code: 1, stderr: 'pegboard: server down is unreachable: connect ECONNREFUSED\n' });
    expect(unknown).include({ code: 1, stderr: 'pegboard: there is no server dwn; did you mean down?\n' });
    const both = await type(gateway, ['login', '--server', 'down', '--all']);
    expect(both).include({ code: 1, stderr: 'pegboard: --server and --all exclude each other\n' });
    expect(gateway.calls).deep.equal([]);
  });

  it('login never says that it has signed in where nothing has happened', async () => {
    const told = 'No authentication is required.';
    const error = 'it requires credentials (HTTP 401)';
    const refusal = 'The server refuses what its definition sends.';
    const gateway = await startServersGateway({
      kept: { ...LOCKED, told: 'Successfully connected' },
      key: { ...LOCKED, told, error },
      none: { ...LOCKED, refusal },
    });
    const fault = `no sign-in is possible at key, which is auth_required: ${error}; edit it with: pegboard edit server key`;
    const one = await type(gateway, ['login', '--server', 'key']);
    expect(one).include({ code: 3, stderr: `pegboard: ${fault}\n` });
    const all = await type(gateway, ['login', '--all']);
    expect(all.code).equal(3);
    expect(all.stderr.split('\n')).members([
      'signed in already at kept',
      `pegboard: key: ${fault}`,
      `pegboard: none: ${refusal} Edit it with: pegboard edit server none`,
      '',
    ]);
  });

  it('login waits for single sign-on that is under way', async () => {
    const gateway = await startServersGateway({
      forwards: { status: 'sso_pending', token_forwarding_enabled: true },
    });
    const waiting = type(gateway, ['login', '--all', '-o', 'json']);
    await until(() => gateway.reads() > 0);
    gateway.servers['forwards'] = { status: 'connected', token_forwarding_enabled: true };
    const { code, stdout } = await waiting;
    expect(code).equal(0);
    expect((JSON.parse(stdout) as { servers: unknown[] }).servers).deep.equal([
      { name: 'forwards', status: 'connected', token_forwarding_enabled: true },
    ]);
  });

  it('login ends after two minutes with the command to try again, and at Ctrl-C, both with exit code 3', async () => {
    const clock = movableClock();
    const gateway = await startServersGateway({ alpha: LOCKED });
    const late = begin(gateway, 'login', '--server', 'alpha', '--no-browser');
    await late.shows(LINK);
    clock.later(121_000);
    const { code, stderr } = await late.ended;
    expect(code).equal(3);
    expect(stderr).contain(
      `no sign-in at alpha within 2 minutes; try again: pegboard auth login --endpoint ${gateway.endpoint} --server alpha\n`,
    );
    const left = begin(gateway, 'login', '--server', 'alpha', '--no-browser');
    await left.shows(LINK);
    left.cancel.cancel('Ctrl-C');
    expect(await left.ended).include({ code: 3 });
  });

  it('login says that a server refuses what was entered, and waits for the correction', async () => {
    const gateway = await startServersGateway({ alpha: { ...LOCKED, error: 'it needs your secret KEY' } });
    const typing = begin(gateway, 'login', '--server', 'alpha', '--no-browser');
    await typing.shows(LINK);
    const before = gateway.reads();
    await until(() => gateway.reads() > before + 1);
    gateway.servers['alpha'] = { ...LOCKED, error: 'it refuses your secret KEY' };
    await typing.shows(/alpha: it refuses your secret KEY; correct it in the browser\n/);
    gateway.servers['alpha'] = { status: 'connected' };
    const { code, stderr } = await typing.ended;
    expect(code).equal(0);
    expect(stderr).contain('signed in at alpha').and.not.contain('it needs');
  });

  it('login --server signs in at the gateway first, if that wants it', async () => {
    const made = await makeServers({ alpha: LOCKED });
    const auth = await startAuthServer({
      files: made.files,
      settings: { plugins: made.plugins },
      config: { allowPublicClientRegistration: true },
    });
    const { env, opened } = await startDesktop(newBrowser());
    const endpoint = `${auth.base}/mcp`;
    const { code, stderr } = await type({ endpoint }, ['login', '--server', 'alpha'], env);
    expect(code, stderr).equal(0);
    expect(opened.map(({ pathname }) => pathname)).deep.equal(['/oauth/authorize', '/oauth/proxy/start']);
    expect(stderr).match(/signed in at \S+ as alice@example\.com\n[^]*signed in at alpha\n/);
    const { stdout } = await type({ endpoint }, ['status', '--server', 'alpha'], env);
    expect(stdout).contain('Not authenticated').and.not.contain('MCP Servers');
  });

  it('logout --server discards what the person has there', async () => {
    const gateway = await startServersGateway({ alpha: { status: 'connected' } });
    const typed = await type(gateway, ['logout', '--server', 'alpha']);
    expect(typed).include({ code: 0, stderr: 'signed out of alpha\n' });
    expect(gateway.calls).deep.equal(['logout alpha']);
    expect(gateway.servers['alpha']).include({ status: 'auth_required' });
    expect(await type(gateway, ['logout', '--server', 'alhpa'])).include({ code: 1 });
  });

  it('status says why callers cannot sign in at a server', async () => {
    const error = 'it requires credentials (HTTP 401); set aggregator.oauth.mcpClient.enabled to true';
    const gateway = await startServersGateway({ off: { status: 'auth_required', error } });
    const { stdout } = await type(gateway, ['status']);
    expect(stdout).contain(`  off   Not authenticated   ${error}\n`);
  });

  it('status shows each server and what to type', async () => {
    const soon = new Date(Date.now() + 150_000).toISOString();
    const servers = {
      alpha: { status: 'connected', grant: { state: 'valid', nextRefresh: soon } },
      beta: LOCKED,
      down: { status: 'unreachable' },
      forwards: { status: 'connected', token_forwarding_enabled: true },
      gamma: { ...LOCKED, status: 'reauth_required', grant: { state: 'lost', reason: 'revoked\u001b[2J' } },
      scopes: { status: 'connected', grant: { state: 'valid', missingScopes: ['mcp:write'] } },
      stopped: { status: 'disconnected', suspended: true },
    };
    const gateway = await startServersGateway(servers);
    const { code, stdout } = await type(gateway, ['status']);
    expect(code).equal(0);
    const login = `Run: pegboard auth login --endpoint ${gateway.endpoint} --server`;
    expect(stdout.split('\nMCP Servers\n')[1]?.split('\n')).deep.equal([
      '  (3 pending authentication)',
      '  (1 unreachable)',
      '  alpha      Connected                    renewed in 2 minutes',
      `  beta       Not authenticated            ${login} beta`,
      '  forwards   Connected [SSO: Forwarded]',
      `  gamma      Re-authentication required   revoked; ${login} gamma`,
      `  scopes     Connected                    needs more scopes: mcp:write; ${login} scopes`,
      '  stopped    Deactivated                  Run: pegboard start stopped',
      '',
    ]);
    const json = await type(gateway, ['status', '-o', 'json']);
    expect((JSON.parse(json.stdout) as { servers: unknown[] }).servers).deep.equal(
      Object.entries(servers).map(([name, status]) => ({ name, ...status })),
    );
    expect(await type(gateway, ['status', '--server', 'alpha'])).include({ code: 0 });
    const locked = await type(gateway, ['status', '--server', 'beta']);
    expect(locked).include({ code: 2 });
    expect(locked.stdout).contain('beta').and.not.contain('alpha');
  });
});

type At = Pick<ServersGateway, 'endpoint'>;

function words({ endpoint }: At, args: readonly string[]): readonly string[] {
  return ['auth', ...args, '--config-path', makeDirectory().path, '--endpoint', endpoint];
}
function type(
  gateway: At,
  args: readonly string[],
  env: Readonly<Record<string, string>> = { BROWSER: '' },
): Promise<Typed> {
  return typeVerb(words(gateway, args), env);
}
function begin(gateway: At, ...args: readonly string[]): Typing {
  return typeAtTerminal(words(gateway, args));
}
