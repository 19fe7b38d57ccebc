import { readdirSync, statSync } from 'node:fs';
import { expect } from 'chai';
import { TokenFile } from '../../../../plugins/cli/signIn/tokenFile.ts';
import type { StoredTokens } from '../../../../plugins/cli/signIn/tokenFile.ts';
import { startAuthServer } from '../../../support/authServer.ts';
import type { AuthServer } from '../../../support/authServer.ts';
import { newBrowser } from '../../../support/browser.ts';
import type { Page } from '../../../support/browser.ts';
import { makeDirectory } from '../../../support/directory.ts';
import type { Directory } from '../../../support/directory.ts';
import { freePort } from '../../../support/everything.ts';
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

  it('login stores tokens in a file of mode 0600, which the other verbs send', async () => {
    const home = await newHome();
    const before = await type(home, 'list', 'tools');
    expect(before).include({ code: 2, stdout: '' });
    expect(before.stderr).contain(`pegboard auth login --endpoint ${endpoint}`);
    const { page, typed } = await logIn(home);
    expect(page).include({
      status: 200,
      text: `You are signed in at ${endpoint}. You can close this page.\n`,
    });
    expect(typed).include({ code: 0, stdout: '' });
    expect(typed.stderr).contain(`signed in at ${endpoint} as alice@example.com\n`);
    const [name = ''] = readdirSync(home.at('tokens'));
    expect(name).match(/^[0-9a-f]{32}\.json$/);
    expect(statSync(home.at(`tokens/${name}`)).mode & 0o777).equal(0o600);
    expect(statSync(home.at('tokens')).mode & 0o777).equal(0o700);
    expect(await type(home, 'list', 'tools')).include({ code: 0 });
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
});
