import { expect } from 'chai';
import { VERIFIER, startAuthServer, tokensOf } from '../../support/authServer.ts';
import type { AuthServer } from '../../support/authServer.ts';
import { newBrowser } from '../../support/browser.ts';
import { expectNoSecret, filesBelow, linesOf, recordRequests } from '../../support/confidential.ts';
import type { Seen } from '../../support/confidential.ts';
import { makeDirectory } from '../../support/directory.ts';
import { CLIENT_SECRET } from '../../support/clientAtProvider.ts';
import { McpClient } from '../../support/mcpClient.ts';
import { runPegboard } from '../../support/serve.ts';

const TARGET = 'https://93.184.215.14/callback';
const EMAIL = 'alice.liddell@wonderland.example';
const REGISTRATION_TOKEN = 'registration-4711-token';
describe('auth-server: what stays confidential', function () {
  this.timeout(30_000);
  let auth: AuthServer;
  let seen: Seen;
  const email = { email: EMAIL, name: 'Alice Liddell' };

  /** Tokens that the identity provider has issued, from the vault. */
  async function providerTokens(): Promise<readonly string[]> {
    const keys = await auth.vault.list('oauth-signin:');
    const found = await Promise.all(keys.map((key) => auth.vault.get(key)));
    return found.flatMap((one) =>
      Object.values((one as { provider?: object }).provider ?? {}).filter(isText),
    );
  }
  const isText = (value: unknown): value is string => typeof value === 'string';

  it('T108: logs, audit files, events, files and refusals contain no token, code, secret, cookie or e-mail address', async () => {
    auth = await startAuthServer({
      builtIns: 'all',
      config: { registrationToken: REGISTRATION_TOKEN, consent: 'always', trustedAudiences: ['pegboard'] },
      settings: {
        plugins: {
          'vault-file': {},
          'vault-memory': false,
          audit: { config: { directory: 'audit' } },
        },
      },
    });
    seen = recordRequests();
    const known = new Set([VERIFIER, CLIENT_SECRET, REGISTRATION_TOKEN, EMAIL, 'alice.liddell']);
    const { provider, base } = auth;
    provider.loginAs('alice', email);
    const registered = await fetch(`${base}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${REGISTRATION_TOKEN}` },
      body: JSON.stringify({ redirect_uris: [TARGET], client_name: 'Tea party' }),
    });
    const { client_id: id = '', client_secret: secret = '' } = (await registered.json()) as Record<
      string,
      string
    >;
    expect(secret).not.equal('');
    const own = { client_id: id, client_secret: secret };
    const asked = { client_id: id, redirect_uri: TARGET };
    const isEnd = (url: string): boolean => url.startsWith(TARGET);
    const toCode = async (): Promise<URLSearchParams> => {
      const browser = newBrowser();
      const page = await browser.submit(
        await browser.open(auth.authorizeUrl(asked)),
        { decision: 'allow' },
        isEnd,
      );
      return new URL(page.url).searchParams;
    };
    const code = async (): Promise<string> => (await toCode()).get('code') ?? '';
    const redeem = (given: string, changes: Record<string, string | undefined> = {}, headers = {}) =>
      auth.redeem(given, { ...own, redirect_uri: TARGET, ...changes }, headers);

    // A whole sign-in, used at every endpoint.
    const first = await code();
    const tokens = tokensOf(await redeem(first));
    const client = await McpClient.connect(base, { headers: { authorization: `Bearer ${tokens.access}` } });
    await client.request('logging/setLevel', { level: 'debug' });
    await client.callTool('core_service_list');
    for (const token of [tokens.access, tokens.refresh, 'x'.repeat(40)])
      await auth.post({ ...own, token }, {}, '/oauth/introspect');
    await fetch(`${base}/oauth/userinfo`, { headers: { authorization: `Bearer ${tokens.access}` } });
    const second = tokensOf(await auth.refresh(tokens.refresh, own));
    for (const token of await providerTokens()) known.add(token);
    // A wrong one of everything.
    const basic = Buffer.from(`${id}:${secret}x`).toString('base64');
    known.add(basic);
    await redeem(await code(), { client_secret: undefined }, { authorization: `Basic ${basic}` });
    await redeem(await code(), { client_secret: `${secret}x` });
    await redeem(await code(), { code_verifier: 'w'.repeat(43) });
    await redeem(await code(), { redirect_uri: `${TARGET}/x` });
    await redeem(first);
    await auth.refresh(`${second.refresh}x`, own);
    await auth.refresh(second.refresh);
    await auth.refresh(tokens.refresh, own);
    for (const token of [second.access, second.refresh, `${tokens.access}x`, secret, CLIENT_SECRET, ...known])
      if (/^[\w.~+/-]+=*$/.test(token)) await (await auth.mcp(token)).text();
    await (await auth.mcp(undefined, { path: `/mcp?access_token=${second.access}` })).text();
    await (await auth.mcp(second.access, { headers: { dpop: second.access } })).text();
    await fetch(`${base}/oauth/callback?code=${first}&state=${'s'.repeat(43)}`);
    await auth.open(auth.authorizeUrl({ ...asked, redirect_uri: `${TARGET}?code=${first}` }));
    await auth.open(
      auth.authorizeUrl({ ...asked, id_token_hint: tokens.access, login_hint: EMAIL, resource: first }),
    );
    await fetch(`${base}/oauth/${second.refresh}?token=${second.refresh}`);
    await fetch(`${base}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${REGISTRATION_TOKEN}x` },
      body: JSON.stringify({ redirect_uris: [`${TARGET}?code=${first}`] }),
    });
    await auth.post({ ...own, token: second.refresh }, {}, '/oauth/revoke');
    await auth.post(`grant_type=${second.refresh}&client_id=${id}&client_secret=${secret}`);
    // Faults of the provider, the last one with the person's address in its words.
    provider.fail(500, '/token');
    await toCode();
    provider.resume();
    const third = tokensOf(await redeem(await code()));
    provider.fail(502, '/token');
    await auth.refresh(third.refresh, own);
    provider.resume();
    await provider.revoke('alice');
    await auth.refresh(third.refresh, own);
    provider.refuseLogins('access_denied', `${EMAIL} is not in the group`);
    await toCode();
    for (const token of await providerTokens()) known.add(token);

    const places: Record<string, readonly string[]> = {
      log: linesOf(auth.gateway.log),
      refusals: seen.refusals,
    };
    const files = filesBelow(auth.gateway.directory.path).filter(({ path }) => !path.endsWith('config.yaml'));
    for (const { path, text } of files) places[path] = [text];
    expect(Object.keys(places).some((path) => path.includes('/audit/audit-'))).equal(true);
    provider.loginAs('alice', email);
    const again = tokensOf(await redeem(await code()));
    const reader = await McpClient.connect(base, { headers: { authorization: `Bearer ${again.access}` } });
    const read = async (tool: string, args = {}): Promise<string> =>
      JSON.stringify(await reader.callTool(tool, args));
    places['events'] = [await read('core_events', { limit: 1_000 })];
    places['configuration'] = [await read('core_config_get'), await read('core_config_save')];
    const secrets = [...known, ...seen.secrets];
    expect(secrets.length).greaterThan(40);
    expectNoSecret(places, secrets);
  });

  it('T104: wrong secrets of aggregator.oauth are named by no check', async () => {
    const texts: Readonly<Record<string, string>> = {
      valid: `clientSecret: "${CLIENT_SECRET}"`,
      'of another type': 'clientSecret: [47114711]',
      'a number': 'clientSecret: 47114711',
      'broken YAML': `clientSecret: "${CLIENT_SECRET}`,
      'a second time': `clientSecret: "${CLIENT_SECRET}", clientSecret: "${REGISTRATION_TOKEN}"`,
      'an unknown key': `clientSecret: "${CLIENT_SECRET}", clientSecretText: "${REGISTRATION_TOKEN}"`,
    };
    const runs = Object.entries(texts).map(async ([what, text]) => {
      const { path } = makeDirectory({
        'config.yaml': `aggregator: { oauth: { server: { enabled: true, baseUrl: "http://localhost:8090",
          idp: { issuerUrl: "https://idp.example.com", clientId: pegboard, ${text} } } } }\n`,
      });
      const { code, stdout, stderr } = await runPegboard([
        'check',
        '--config-path',
        path,
        '--output',
        'json',
      ]);
      expect(code, `${what}: ${stdout}${stderr}`).equal(what === 'valid' ? 0 : 2);
      for (const secret of [CLIENT_SECRET, REGISTRATION_TOKEN, '47114711'])
        expect(stdout + stderr, what).not.include(secret);
    });
    await Promise.all(runs);
  });
});
