import { once } from 'node:events';
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { TokenFile } from '../../../../plugins/cli/signIn/tokenFile.ts';
import type { StoredTokens } from '../../../../plugins/cli/signIn/tokenFile.ts';
import { startAuthServer } from '../../../support/authServer.ts';
import type { AuthServer } from '../../../support/authServer.ts';
import { newBrowser } from '../../../support/browser.ts';
import type { Browser, Page } from '../../../support/browser.ts';
import { startDesktop } from '../../../support/desktop.ts';
import { makeDirectory } from '../../../support/directory.ts';
import type { Directory } from '../../../support/directory.ts';
import { freePort } from '../../../support/everything.ts';
import { bootGateway } from '../../../support/gateway.ts';
import { onTerminal } from '../../../support/onTerminal.ts';
import { runPegboard } from '../../../support/serve.ts';
import { typeAtTerminal, typeVerb } from '../../../support/typeVerb.ts';
import type { Typed, Typing } from '../../../support/typeVerb.ts';

const ADDRESS = /^ {2}(http\S+\/oauth\/authorize\?\S+)$/m;

describe('pegboard auth', function () {
  this.timeout(30_000);
  let auth: AuthServer;
  let endpoint = '';
  before(async () => {
    auth = await startAuthServer();
    endpoint = `${auth.base}/mcp`;
  });

  /** A person's configuration directory, whose client the gateway knows from a sign-in that is over. */
  async function newHome(): Promise<Directory> {
    const home = makeDirectory();
    const redirect_uri = `http://127.0.0.1:${await freePort()}/callback`;
    const client_id = `client of ${home.path}`;
    await auth.known({ id: client_id, redirectUris: [redirect_uri], authMethod: 'none', origin: 'token' });
    const past = new Date(0).toISOString();
    await new TokenFile(home.path, endpoint).write({
      server_url: auth.base,
      issuer_url: auth.base,
      client_id,
      redirect_uri,
      token_endpoint: `${auth.base}/oauth/token`,
      resource: endpoint,
      token_type: 'Bearer',
      expiry: past,
      refreshed_at: past,
      created_at: past,
    });
    return home;
  }
  const words = (home: Directory, args: readonly string[]): readonly string[] => {
    return [...args, '--config-path', home.path, '--endpoint', endpoint];
  };
  const type = (home: Directory, ...args: readonly string[]): Promise<Typed> =>
    typeVerb(words(home, args), { BROWSER: '' });
  const begin = (home: Directory, ...args: readonly string[]): Typing =>
    typeAtTerminal(words(home, ['auth', 'login', '--no-browser', ...args]));
  async function logIn(home: Directory): Promise<{ page: Page; typed: Typed }> {
    const typing = begin(home);
    const page = await newBrowser().open(await typing.shows(ADDRESS));
    return { page, typed: await typing.ended };
  }
  const stored = async (home: Directory): Promise<StoredTokens> => {
    const tokens = await new TokenFile(home.path, endpoint).read();
    if (tokens === undefined) throw new Error('no tokens are stored');
    return tokens;
  };
  /** Changes when the token expires. @returns what was stored before */
  async function makeDue(home: Directory, { lifetime = 1_800, left = 1 } = {}): Promise<StoredTokens> {
    const tokens = await stored(home);
    const at = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();
    const times = { expiry: at(left), refreshed_at: at(left - lifetime) };
    await new TokenFile(home.path, endpoint).write({ ...tokens, ...times });
    return tokens;
  }

  it('login stores tokens in a file of mode 0600, which the other verbs send', async () => {
    const home = await newHome();
    const before = await type(home, 'list', 'tools');
    expect(before).include({ code: 2, stdout: '' });
    expect(before.stderr).contain(`pegboard auth login --endpoint ${endpoint}`);
    const { page, typed } = await logIn(home);
    expect(page.status).equal(200);
    expect(page.text).contain(`You are signed in at <strong>${endpoint}</strong>.`).and.contain('terminal');
    expect(page.headers.get('referrer-policy')).equal('no-referrer');
    expect(typed).include({ code: 0, stdout: '' });
    expect(typed.stderr).contain(`signed in at ${endpoint} as alice@example.com\n`);
    const [name = ''] = readdirSync(home.at('tokens'));
    expect(name).match(/^[0-9a-f]{32}\.json$/);
    expect(statSync(home.at(`tokens/${name}`)).mode & 0o777).equal(0o600);
    expect(statSync(home.at('tokens')).mode & 0o777).equal(0o700);
    expect(await type(home, 'list', 'tools')).include({ code: 0 });
    const preset = ['list', 'tools', '--config-path', home.path, '--endpoint', `${endpoint}/t/read-only`];
    expect(await typeVerb(preset)).include({ code: 0 });
    const again = await type(home, 'auth', 'login');
    expect(again).include({ code: 0, stderr: `already signed in at ${endpoint} as alice@example.com\n` });
  });

  it('whoami and status show the person, and token the access token; nothing else shows a token', async () => {
    const home = await newHome();
    const { typed } = await logIn(home);
    const [whoami, name, status, json, token] = await Promise.all([
      type(home, 'auth', 'whoami'),
      type(home, 'auth', 'whoami', '-o', 'name'),
      type(home, 'auth', 'status'),
      type(home, 'auth', 'status', '-o', 'json'),
      type(home, 'auth', 'token'),
    ]);
    expect(whoami.stdout).match(
      /^Identity: +alice@example.com\nEndpoint: .*\nIssuer: .*\nExpires: +in (29|30) minutes\n$/,
    );
    expect(name.stdout).equal('alice@example.com\n');
    expect(status.stdout).match(/ {2}Status: +Authenticated\n {2}Identity: +alice@example.com\n/);
    expect(JSON.parse(json.stdout)).include({
      endpoint,
      status: 'authenticated',
      identity: 'alice@example.com',
      renews: true,
      issuer: auth.base,
    });
    const { access_token = '', refresh_token = '', id_token = '' } = await stored(home);
    expect(token.stdout).equal(`${access_token}\n`);
    expect((await auth.mcp(access_token)).status).equal(200);
    const texts = [typed, whoami, name, status, json].map(({ stdout, stderr }) => stdout + stderr).join('');
    for (const secret of [access_token, refresh_token, id_token]) expect(texts).not.contain(secret);
  });

  it('status, whoami and token end with exit code 2 for who is not signed in', async () => {
    const home = makeDirectory();
    const [status, json, whoami, token] = await Promise.all([
      type(home, 'auth', 'status'),
      type(home, 'auth', 'status', '-o', 'json'),
      type(home, 'auth', 'whoami'),
      type(home, 'auth', 'token'),
    ]);
    expect([status.code, json.code, whoami.code, token.code]).deep.equal([2, 2, 2, 2]);
    expect(status.stdout).contain('Not authenticated');
    expect(JSON.parse(json.stdout)).include({ status: 'not_authenticated' });
    expect(whoami).include({ stdout: '' });
    expect(token).include({ stdout: '' });
    expect(token.stderr).contain('wants a sign-in').and.contain('pegboard auth login');
  });

  it('login registers once for a port that stays free, and again for another one or an unknown client', async () => {
    const home = makeDirectory();
    await logIn(home);
    const { client_id, redirect_uri, access_token, refresh_token, ...rest } = await stored(home);
    expect(redirect_uri).match(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const file = new TokenFile(home.path, endpoint);
    await file.write({ client_id, redirect_uri, ...rest });
    await logIn(home);
    expect(await stored(home)).include({ client_id, redirect_uri });
    await file.write({ client_id: 'forgotten', redirect_uri, ...rest });
    await logIn(home);
    const again = await stored(home);
    expect(again).include({ redirect_uri });
    expect([client_id, 'forgotten']).not.contain(again.client_id);
    const busy = createServer().listen(Number(new URL(redirect_uri).port), '127.0.0.1');
    await once(busy, 'listening');
    try {
      await file.write({ client_id: again.client_id, redirect_uri, ...rest });
      await logIn(home);
    } finally {
      busy.close();
    }
    expect((await stored(home)).redirect_uri).not.equal(redirect_uri);
    expect((await stored(home)).client_id).not.equal(again.client_id);
    expect([access_token, refresh_token]).not.contain(undefined);
  });

  it('T105: a request to the callback with a wrong state is ignored', async () => {
    const home = await newHome();
    const typing = begin(home);
    const address = await typing.shows(ADDRESS);
    const redirect = new URL(address).searchParams.get('redirect_uri') ?? '';
    for (const query of ['', '?code=x&state=y', '?error=access_denied&state=y', '?error=access_denied'])
      expect((await fetch(redirect + query)).status).equal(400);
    expect((await fetch(redirect, { method: 'POST' })).status).equal(404);
    expect((await newBrowser().open(address)).status).equal(200);
    expect(await typing.ended).include({ code: 0 });
  });

  it('T105: an answer with the right state that names another issuer, or none, fails', async () => {
    for (const iss of ['', '&iss=https://other.example']) {
      const home = await newHome();
      const typing = begin(home);
      const { searchParams } = new URL(await typing.shows(ADDRESS));
      const answer = `${searchParams.get('redirect_uri')}?code=x&state=${searchParams.get('state')}${iss}`;
      expect(await (await fetch(answer)).text()).contain('the sign-in failed');
      expect(await typing.ended).include({ code: 3, stdout: '' });
    }
  });

  it('T106: tokens are private under any umask, and a file that others may read is made private', async () => {
    const umask = process.umask(0);
    try {
      const home = await newHome();
      await logIn(home);
      const [name = ''] = readdirSync(home.at('tokens'));
      const modes = (): readonly number[] =>
        ['tokens', `tokens/${name}`].map((path) => statSync(home.at(path)).mode & 0o777);
      expect(modes()).deep.equal([0o700, 0o600]);
      chmodSync(home.at('tokens'), 0o755);
      chmodSync(home.at(`tokens/${name}`), 0o644);
      expect(await type(home, 'auth', 'whoami')).include({ code: 0 });
      expect(modes()[1]).equal(0o600);
      await makeDue(home);
      expect(modes()).deep.equal([0o700, 0o600]);
    } finally {
      process.umask(umask);
    }
  });

  it('T107: two processes that find the token due refresh it once', async () => {
    const home = await newHome();
    await logIn(home);
    const before = await makeDue(home);
    const refreshes = auth.provider.refreshes();
    const args = words(home, ['auth', 'token']);
    const typed = await Promise.all([
      ...[0, 1].map(() => runPegboard(args)),
      ...[0, 1, 2, 3].map(() => typeVerb(args)),
    ]);
    expect(typed.map(({ code, stderr }) => [code, stderr])).deep.equal(typed.map(() => [0, '']));
    const { access_token } = await stored(home);
    expect(access_token).not.equal(before.access_token);
    expect(new Set(typed.map(({ stdout }) => stdout))).deep.equal(new Set([`${access_token}\n`]));
    expect(auth.provider.refreshes() - refreshes).equal(1);
    expect(auth.gateway.log.having('misused')).deep.equal([]);
    expect(readdirSync(home.at('tokens'))).length(1);
  });

  it('a lock that a killed process left does not hinder a refresh', async () => {
    const home = await newHome();
    await logIn(home);
    const { access_token } = await makeDue(home);
    writeFileSync(`${new TokenFile(home.path, endpoint).path}.lock`, '2147483646 x');
    expect((await type(home, 'auth', 'token')).stdout).not.equal(`${access_token}\n`);
  });

  it('a token is refreshed a tenth of its lifetime or a minute before it expires', async () => {
    const home = await newHome();
    await logIn(home);
    const lifetimes = [
      [1_800, 90, false],
      [1_800, 50, true],
      [60, 10, false],
      [60, 5, true],
    ] as const;
    for (const [lifetime, left, isDue] of lifetimes) {
      const { access_token } = await makeDue(home, { lifetime, left });
      const { stdout } = await type(home, 'auth', 'token');
      expect(stdout !== `${access_token}\n`, `${left} of ${lifetime} s`).equal(isDue);
    }
  });

  it('a sign-in that the provider has ended needs another one', async () => {
    const home = await newHome();
    auth.provider.loginAs('bob');
    await logIn(home);
    auth.provider.loginAs('alice');
    await makeDue(home);
    await auth.provider.revoke('bob');
    const tools = await type(home, 'list', 'tools');
    expect(tools).include({ code: 2, stdout: '' });
    expect(tools.stderr).contain('has expired').and.contain('pegboard auth login');
    expect((await type(home, 'auth', 'token')).code).equal(2);
    expect(await stored(home)).not.have.any.keys('access_token', 'refresh_token');
    expect((await logIn(home)).typed.stderr).contain('as alice@example.com');
  });

  it('a token that is refused before it expires is refreshed once', async () => {
    const home = await newHome();
    await logIn(home);
    const tokens = await stored(home);
    await new TokenFile(home.path, endpoint).write({ ...tokens, access_token: 'refused' });
    expect(await type(home, 'list', 'tools')).include({ code: 0 });
    expect((await stored(home)).refresh_token).not.equal(tokens.refresh_token);
  });

  it('logout deletes the tokens, also while the gateway is away, and --all those of all gateways', async () => {
    const home = await newHome();
    await logIn(home);
    const { access_token = '', refresh_token = '', client_id } = await stored(home);
    const out = await type(home, 'auth', 'logout');
    expect(out).include({ code: 0, stdout: '', stderr: `signed out of ${auth.base}\n` });
    expect((await auth.refresh(refresh_token, { client_id })).status).equal(400);
    expect((await auth.mcp(access_token)).status).equal(401);
    expect(readdirSync(home.at('tokens'))).deep.equal([]);
    expect(await type(home, 'auth', 'logout')).include({
      code: 0,
      stderr: `not signed in at ${auth.base}\n`,
    });
    await logIn(await newHome());
    const away = `http://127.0.0.1:${await freePort()}`;
    const elsewhere = await newHome();
    const tokens = await stored(elsewhere);
    const gone = { ...tokens, access_token, refresh_token: 'x', revocation_endpoint: `${away}/oauth/revoke` };
    await new TokenFile(elsewhere.path, away).write({ ...gone, server_url: away });
    const asked = await type(elsewhere, 'auth', 'logout', '--all');
    expect(asked).include({ code: 1 });
    expect(asked.stderr).contain('--yes');
    const all = await type(elsewhere, 'auth', 'logout', '--all', '--yes');
    expect(all).include({ code: 0 });
    expect(all.stderr).contain(`signed out of ${away}`).and.contain('could not be told');
    expect(readdirSync(elsewhere.at('tokens'))).deep.equal([]);
  });

  it('login accepts the pasted address of the last page, or its code', async () => {
    const pasted = async (flag: string, part: (url: URL) => string): Promise<Typed> => {
      const home = await newHome();
      const typing = begin(home, flag);
      const address = await typing.shows(ADDRESS);
      const end = new URL(address).searchParams.get('redirect_uri') ?? '';
      const last = await newBrowser().open(address, (url) => url.startsWith(end));
      typing.type('http://127.0.0.1:1/callback?code=x&state=y');
      await typing.shows(/not the answer to this sign-in/);
      typing.type(part(new URL(last.url)));
      return typing.ended;
    };
    const typed = await Promise.all([
      pasted('--no-browser', ({ href }) => ` ${href} `),
      pasted('--device', ({ href }) => href),
      pasted('--device', ({ search }) => search),
      pasted('--device', ({ searchParams }) => searchParams.get('code') ?? ''),
    ]);
    expect(typed.map(({ code }) => code)).deep.equal([0, 0, 0, 0]);
  });

  it('login with --device does not listen', async () => {
    const typing = begin(await newHome(), '--device');
    const { searchParams } = new URL(await typing.shows(ADDRESS));
    const refused = await fetch(searchParams.get('redirect_uri') ?? '').catch((error: unknown) => error);
    expect(refused).instanceOf(TypeError);
    typing.cancel.cancel('SIGINT');
    expect((await typing.ended).stderr).contain('interrupted');
  });

  it('login --no-browser waits for the browser also without a terminal', async () => {
    const typing = typeAtTerminal(
      words(await newHome(), ['auth', 'login', '--no-browser']),
      { BROWSER: '' },
      false,
    );
    const address = await typing.shows(ADDRESS);
    const { port } = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
    await typing.shows(new RegExp(`at port ${port}\\..* ssh -L ${port}:127\\.0\\.0\\.1:${port} `));
    await newBrowser().open(address);
    const { code, stderr } = await typing.ended;
    expect([code, stderr]).deep.equal([0, stderr]);
    expect(stderr).contain(`signed in at ${endpoint} as alice@example.com\n`).and.not.contain('paste');
  });

  it('login without a browser and without a terminal fails at once, and says what to do', async () => {
    const home = await newHome();
    const { code, stderr } = await type(home, 'auth', 'login', '--device');
    expect(code).equal(2);
    expect(stderr).match(/^pegboard: no browser can be opened here, .* terminal .*--device.*\n$/);
    const env = { BROWSER: '', DISPLAY: '', WAYLAND_DISPLAY: '', SSH_CONNECTION: 'x' };
    const none = await typeVerb(words(home, ['auth', 'login']), env);
    expect(none).include({ code: 2 });
    expect(none.stderr).contain('--no-browser');
  });

  it('login reports what the provider refuses as exit code 3', async () => {
    auth.provider.refuseLogins('access_denied', 'not <today>');
    const { page, typed } = await logIn(await newHome());
    auth.provider.loginAs('alice');
    expect(page.headers.get('content-type')).equal('text/html; charset=utf-8');
    expect(page.text).contain('the sign-in failed: access_denied: not &lt;today&gt;');
    expect(typed).include({ code: 3, stdout: '' });
    expect(typed.stderr).contain('pegboard: the sign-in failed: access_denied');
  });

  /** A home whose sign-in is over, and the browser that it was made in. */
  async function signedInBefore(): Promise<{ home: Directory; browser: Browser }> {
    const home = await newHome();
    const browser = newBrowser();
    const typing = begin(home);
    await browser.open(await typing.shows(ADDRESS));
    await typing.ended;
    const { access_token, refresh_token, ...rest } = await stored(home);
    expect([access_token, refresh_token]).not.contain(undefined);
    await new TokenFile(home.path, endpoint).write(rest);
    return { home, browser };
  }

  it('login opens the browser', async () => {
    const home = await newHome();
    const { env, opened } = await startDesktop(newBrowser());
    const typed = await typeVerb(words(home, ['auth', 'login', '--silent']), env);
    expect(typed).include({ code: 0, stdout: '' });
    expect(typed.stderr).contain('in the browser');
    // Silent only for who was signed in before.
    expect(opened.map(({ searchParams }) => searchParams.get('prompt'))).deep.equal([null]);
  });

  it('login --silent tries prompt=none with the hints of the last sign-in', async () => {
    const { home, browser } = await signedInBefore();
    const before = await stored(home);
    const { env, opened } = await startDesktop(browser);
    const typed = await typeVerb(words(home, ['auth', 'login', '--silent']), env);
    expect(typed).include({ code: 0, stderr: `signed in at ${endpoint} as alice@example.com\n` });
    expect(opened).length(1);
    const params = opened[0]?.searchParams;
    expect(params?.get('prompt')).equal('none');
    expect(params?.get('login_hint')).equal('alice@example.com');
    expect(params?.get('id_token_hint')).equal(before.id_token);
  });

  it('login --silent falls back to the interactive sign-in, also as the default of config.yaml', async () => {
    const { home } = await signedInBefore();
    home.write('config.yaml', 'auth: { silent: true }');
    const { env, opened } = await startDesktop(newBrowser());
    const typed = await typeVerb(words(home, ['auth', 'login']), env);
    expect(typed).include({ code: 0 });
    expect(typed.stderr).contain('login_required').and.contain('in the browser');
    expect(opened.map(({ searchParams }) => searchParams.get('prompt'))).deep.equal(['none', null]);
  });

  it('agent --silent signs in first; without it a signed-out agent on a terminal ends with exit code 2', async () => {
    const { home, browser } = await signedInBefore();
    const { env, opened } = await startDesktop(browser);
    expect(await typeAtTerminal(words(home, ['agent']), env).ended).include({ code: 2 });
    const watching = typeAtTerminal(words(home, ['agent', '--silent']), env);
    await watching.shows(/signed in at \S+ as alice@example\.com\n/);
    await watching.shows(/\d+ tools; changes follow/);
    watching.cancel.cancel('SIGINT');
    expect(await watching.ended).include({ code: 0 });
    expect(opened.map(({ searchParams }) => searchParams.get('prompt'))).deep.equal(['none']);
  });

  it('auth in config.yaml sets the port of the callback, and whether the browser is opened', async () => {
    const home = await newHome();
    const { redirect_uri } = await stored(home);
    const { env, opened } = await startDesktop(newBrowser());
    const port = await freePort();
    home.write('config.yaml', `auth: { mode: prompt, callbackPort: ${port} }`);
    await auth.known({
      id: `other client of ${home.path}`,
      authMethod: 'none',
      origin: 'token',
      redirectUris: [`http://127.0.0.1:${port}/callback`],
    });
    const other = {
      client_id: `other client of ${home.path}`,
      redirect_uri: redirect_uri.replace(/:\d+/, `:${port}`),
    };
    await new TokenFile(home.path, endpoint).write({ ...(await stored(home)), ...other });
    const typing = typeAtTerminal(words(home, ['auth', 'login']), env);
    const address = new URL(await typing.shows(ADDRESS));
    expect(address.searchParams.get('redirect_uri')).equal(other.redirect_uri);
    const busy = await typeAtTerminal(words(home, ['auth', 'login']), env).ended;
    expect(busy).include({ code: 3 });
    expect(busy.stderr).contain(String(port)).and.contain('auth.callbackPort');
    typing.cancel.cancel('SIGINT');
    await typing.ended;
    expect(opened).deep.equal([]);
    home.write('config.yaml', 'auth: { callbackPort: none }');
    const wrong = await type(home, 'auth', 'login');
    expect(wrong).include({ code: 1 });
    expect(wrong.stderr).contain('callbackPort must be an integer');
  });

  it('a token that cannot be renewed now is used until it expires, and kept', async () => {
    const home = await newHome();
    await logIn(home);
    await makeDue(home, { left: 30 });
    const { access_token, refresh_token } = await stored(home);
    auth.provider.fail(503, '/token');
    try {
      expect(await type(home, 'auth', 'token')).include({ code: 0, stdout: `${access_token}\n` });
      await makeDue(home, { left: -1 });
      const late = await type(home, 'list', 'tools');
      expect(late).include({ code: 1, stdout: '' });
      expect(late.stderr).contain('the sign-in cannot be renewed now');
    } finally {
      auth.provider.resume();
    }
    expect(await stored(home)).include({ access_token, refresh_token });
    expect(await type(home, 'list', 'tools')).include({ code: 0 });
  });

  it('says that a gateway wants no sign-in, or does not answer', async () => {
    const port = await freePort();
    const plugins = { 'vault-file': false, 'vault-memory': {} };
    await bootGateway({
      builtIns: ['http', 'front', 'transport-http', 'metatools', 'toolsets', 'vault-memory'],
      files: { 'config.yaml': JSON.stringify({ aggregator: { port }, plugins }), 'state/.keep': '' },
    });
    const home = makeDirectory();
    const typed = (...args: readonly string[]): Promise<Typed> =>
      typeVerb(['auth', ...args, '--config-path', home.path]);
    const open = `http://localhost:${port}/mcp`;
    expect((await typed('login', '--endpoint', open)).stderr).equal(`${open} wants no sign-in\n`);
    expect(JSON.parse((await typed('status', '-o', 'json', '--endpoint', open)).stdout)).deep.equal({
      endpoint: open,
      status: 'not_required',
    });
    const away = `http://127.0.0.1:${await freePort()}/mcp`;
    expect(await typed('login', '--endpoint', away)).include({ code: 1 });
    const status = await typed('status', '-o', 'json', '--endpoint', away);
    expect(status.code).equal(1);
    expect(JSON.parse(status.stdout)).include({ status: 'unreachable' });
  });

  it('names a file of tokens that is damaged', async () => {
    const home = await newHome();
    writeFileSync(new TokenFile(home.path, endpoint).path, '{"server_url"');
    const typed = await Promise.all([type(home, 'list', 'tools'), type(home, 'auth', 'whoami')]);
    for (const { code, stderr } of typed) {
      expect(code).equal(1);
      expect(stderr).match(
        /^pegboard: .*\/tokens\/[0-9a-f]{32}\.json is damaged; remove .* and sign in again\n$/,
      );
    }
  });

  it('the packed program signs in on a terminal', async () => {
    const home = makeDirectory();
    const terminal = onTerminal(words(home, ['auth', 'login', '--no-browser']), { columns: 2_000 });
    await terminal.shows('last page cannot be loaded');
    const [, address = ''] = /(http\S+\/oauth\/authorize\?\S+)/.exec(terminal.shown()) ?? [];
    await newBrowser().open(address);
    await terminal.shows(`signed in at ${endpoint} as alice@example.com`);
    expect(await terminal.exited).equal(0);
    const { code, stdout } = await runPegboard(words(home, ['list', 'tools', '-o', 'name']));
    expect([code, stdout]).deep.equal([0, 'core_auth_sessions\n']);
  });
});
