import { copyFileSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { coreTool, textResult } from '../../../kernel/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import { startAuthServer, tokensOf } from '../../support/authServer.ts';
import type { AuthServer } from '../../support/authServer.ts';
import { newBrowser } from '../../support/browser.ts';
import { selfSigned } from '../../support/certificate.ts';
import { CLIENT_SECRET } from '../../support/clientAtProvider.ts';
import { callBody, initializeBody, postMcp, toolsPlugin } from '../../support/edge.ts';
import { moduleOf } from '../../support/gateway.ts';
import { startIdentityProvider } from '../../support/identityProvider.ts';
import { openStream } from '../../support/rawHttp.ts';
import { stateless, stream } from '../../support/stateless.ts';
import { until, within } from '../../support/until.ts';

type Headers = Readonly<Record<string, string>>;

let waiting: (() => void)[] = [];
const wait = coreTool({
  name: 'core_wait',
  authority: 'use',
  description: 'wait',
  run: () => new Promise((resolve) => waiting.push(() => resolve(textResult('waited')))),
});

/** Begins a call that ends with `finish`. */
async function waitingCall(base: string, headers: Headers) {
  const before = waiting.length;
  const answer = postMcp(base, callBody('call_tool', { name: 'core_wait' }), headers);
  await until(() => waiting.length > before, { what: 'the call' });
  const finish = waiting.pop();
  return {
    finished: async (): Promise<string> => {
      finish?.();
      return (await answer).text;
    },
  };
}

describe('auth-server: changes while people work', () => {
  let auth: AuthServer;
  beforeEach(async () => {
    waiting = [];
    auth = await startAuthServer({
      builtIns: 'all',
      settings: { plugins: { 'test-tools': { module: './tools.mjs' } } },
      files: { 'tools.mjs': moduleOf(toolsPlugin('test-tools', [wait])) },
    });
  });

  const session = async (headers: Headers = {}): Promise<Headers> => {
    const opened = await postMcp(auth.base, initializeBody(), headers);
    return {
      ...headers,
      'mcp-session-id': String(opened.headers['mcp-session-id']),
      'mcp-protocol-version': '2025-11-25',
    };
  };
  const signedIn = async (): Promise<Headers> => ({
    authorization: `Bearer ${(await auth.tokens()).access}`,
  });
  const statusOf = async (headers: Headers): Promise<number> =>
    (await postMcp(auth.base, callBody('list_tools'), headers)).status;
  const found = (count: number): Promise<unknown> =>
    until(() => auth.gateway.log.having('identity provider found').length >= count, {
      what: `discovery ${count}`,
    });
  const listen = (headers: Headers, path = '/mcp') => openStream(auth.base + path, { headers });

  it('switched off and on again: calls under way are answered, streams without sign-in end, sign-ins continue', async () => {
    const alice = await session(await signedIn());
    const hers = await waitingCall(auth.base, alice);
    expect((await auth.configureServer({ enabled: false })).applied).equal(true);
    expect(await hers.finished()).include('waited');
    expect(await statusOf(alice), 'a session of a person, when there are none').equal(404);
    const anyone = await session();
    const streams = [
      await listen(anyone),
      await listen({}, '/sse'),
      await stream(
        auth.base,
        stateless('subscriptions/listen', { notifications: { toolsListChanged: true } }),
      ),
    ];
    expect(streams.map(({ status }) => status)).deep.equal([200, 200, 200]);
    const theirs = await waitingCall(auth.base, anyone);
    expect((await auth.configureServer({ enabled: true })).applied).equal(true);
    for (const { ended } of streams) await within(ended, { what: 'the end of a stream without sign-in' });
    expect(await theirs.finished()).include('waited');
    await found(2);
    expect(await statusOf(anyone)).equal(401);
    expect(await statusOf(alice)).equal(200);
  });

  it('ends the streams of a sign-in that ends, and no others', async () => {
    const tokens = await auth.tokens();
    const [ending, other] = [
      await session({ authorization: `Bearer ${tokens.access}` }),
      await session(await signedIn()),
    ];
    const [hers, others, sse] = [await listen(ending), await listen(other), await listen(ending, '/sse')];
    const call = await waitingCall(auth.base, ending);
    const next = tokensOf(await auth.refresh(tokens.refresh));
    expect(await statusOf({ ...ending, authorization: `Bearer ${next.access}` })).equal(200);
    await auth.refresh(next.refresh);
    // A refresh token that was used before has been stolen.
    expect((await auth.refresh(tokens.refresh)).status).equal(400);
    await within(hers.ended, { what: 'the end of the stream' });
    await within(sse.ended, { what: 'the end of the older stream' });
    expect(await call.finished()).include('waited');
    await postMcp(auth.base, callBody('list_tools'), other);
    expect(await Promise.race([others.ended.then(() => 'ended'), Promise.resolve('open')])).equal('open');
  });

  it('stays closed when its switch is misspelt, a text or gone, until it says that it is off', async () => {
    for (const slip of [{ enabled: undefined, enabld: true }, { enabled: 'yes' }, { enabled: undefined }]) {
      const { applied, issues } = await auth.configureServer(slip);
      expect(applied).equal(false);
      expect(issues[0]?.message).include('plugin auth-server: ');
      expect(await statusOf({})).equal(401);
    }
    expect((await auth.configureServer({ enabled: false, enabld: undefined })).applied).equal(true);
    expect(await statusOf(await session())).equal(200);
  });

  it('reads the file of its secret for each request to the identity provider, because that may be renewed', async () => {
    const { directory, pipeline } = auth.gateway;
    const { idp } = (pipeline.settings().aggregator['oauth'] as { server: { idp: object } }).server;
    directory.write('secret', 'a former secret');
    const changed = { idp: { ...idp, clientSecret: undefined, clientSecretFile: 'secret' } };
    expect((await auth.configureServer(changed)).applied).equal(true);
    await found(2);
    expect(await auth.tokens().catch(() => undefined)).equal(undefined);
    const [refused] = auth.gateway.log.having('did not complete a request', 'warn');
    expect(refused?.data).include({ error: 'invalid_client' }).property('fix').include('clientSecret');
    directory.write('secret', `${CLIENT_SECRET}\n`);
    expect(await auth.tokens()).property('access');
  });

  it('keeps the last good configuration after a wrong one, and stays closed meanwhile', async () => {
    const alice = await session(await signedIn());
    const { idp } = (auth.gateway.pipeline.settings().aggregator['oauth'] as { server: { idp: object } })
      .server;
    for (const wrong of [
      { baseUrl: 'http://gateway.example.com' },
      { sessionDuration: 'a month' },
      { trustedAudiences: 'pegboard' },
      { idp: { ...idp, clientSecret: undefined, clientSecretFile: '/nowhere/secret' } },
      { registrationTokenFile: '/nowhere/token' },
    ]) {
      const report = await auth.configureServer(wrong);
      const [key = ''] = Object.keys(wrong);
      expect(report.applied, key).equal(false);
      expect(JSON.stringify(report.issues), key).include(key.replace(/File$/, ''));
      expect(await statusOf({}), key).equal(401);
      expect(await statusOf(alice), key).equal(200);
      await auth.configureServer({ [key]: undefined, baseUrl: auth.base, idp });
    }
    // Without a vault it cannot run: it must not be left out.
    const report = await auth.configure(({ plugins }) => ({
      plugins: { ...plugins, 'vault-memory': false },
    }));
    expect(report.applied).equal(false);
    expect(JSON.stringify(report.issues)).include('auth-server requires vault');
    expect(await statusOf({})).equal(401);
    expect(await statusOf(alice)).equal(200);
    expect(auth.gateway.log.having('plugin failed')).deep.equal([]);
  });

  it('trustedAudiences: id tokens and their streams are accepted as long as their audience is listed', async () => {
    const { body } = await auth.redeem(await auth.code());
    const headers = { authorization: `Bearer ${String(body['id_token'])}` };
    expect(await statusOf(headers)).equal(401);
    await auth.configureServer({ trustedAudiences: ['pegboard'] });
    const own = await session(headers);
    const standing = await listen(own);
    expect(await statusOf(own)).equal(200);
    const call = await waitingCall(auth.base, own);
    await auth.configureServer({ trustedAudiences: ['other'] });
    await within(standing.ended, { what: 'the end of the stream' });
    expect(await statusOf(own)).equal(401);
    expect(await call.finished()).include('waited');
  });

  it('registrationToken: the new one counts at once', async () => {
    const register = async (token: string): Promise<number> => {
      const answer = await fetch(`${auth.base}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ redirect_uris: ['cursor://anysphere.example/callback'] }),
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    await auth.configureServer({ registrationToken: 'first-registration-token' });
    expect(await register('first-registration-token')).equal(201);
    await auth.configureServer({ registrationToken: 'second-registration-token' });
    expect(await register('first-registration-token')).equal(401);
    expect(await register('second-registration-token')).equal(201);
  });

  it('idp: a refresh under way ends at the former provider; its people sign in again at the new one', async () => {
    const tokens = await auth.tokens();
    const alice = await session({ authorization: `Bearer ${tokens.access}` });
    const call = await waitingCall(auth.base, alice);
    auth.provider.pause('/token');
    const refreshing = auth.refresh(tokens.refresh);
    await until(() => auth.provider.requests('/token') >= 2, { what: 'the refresh at the provider' });
    const other = await startIdentityProvider({ redirectUris: [`${auth.base}/oauth/callback`] });
    const moved = auth.configureServer({ idp: other.config });
    expect((await moved).applied).equal(true);
    auth.provider.resume();
    const refreshed = tokensOf(await refreshing);
    expect(await call.finished()).include('waited');
    await found(2);
    const former = other.requests('/token');
    expect(await statusOf({ ...alice, authorization: `Bearer ${refreshed.access}` })).equal(401);
    expect((await auth.refresh(refreshed.refresh)).body['error']).equal('invalid_grant');
    expect(other.requests('/token'), 'tokens of one provider are not sent to another').equal(former);
    expect(await statusOf(await signedIn())).not.equal(401);
  });

  it('a stop waits for a token request', async () => {
    const tokens = await auth.tokens();
    auth.provider.pause('/token');
    const refreshing = auth.refresh(tokens.refresh);
    await until(() => auth.provider.requests('/token') >= 2, { what: 'the refresh at the provider' });
    const stopped = auth.gateway.stop();
    auth.provider.resume();
    expect((await refreshing).status).equal(200);
    await stopped;
    expect(auth.gateway.log.having('', 'error')).deep.equal([]);
  });
});

describe('auth-server: a provider whose authority is added to the file of aggregator.extraCaFile', () => {
  it('is found at the next attempt', async () => {
    const files = selfSigned();
    const { config: idp } = await startIdentityProvider({ tls: files });
    const { gateway } = await startAuthServer({
      idp,
      settings: { aggregator: { extraCaFile: 'ca.pem' } },
      files: { 'ca.pem': readFileSync(selfSigned().certificate, 'utf8') },
    });
    await gateway.log.heard('identity provider cannot be discovered');
    copyFileSync(files.certificate, gateway.directory.at('ca.pem'));
    await gateway.log.heard('identity provider found');
  });
});

describe('auth-server: a provider whose authority aggregator.oauth.tls names', () => {
  it('is found as soon as it does, and documents of clients are not read with it', async () => {
    const files = selfSigned();
    const { config: idp, requests } = await startIdentityProvider({ tls: files });
    const own = await startAuthServer({
      idp,
      config: { allowPrivateIPClientMetadata: true },
      files: { 'ca.pem': readFileSync(files.certificate, 'utf8') },
    });
    await own.gateway.log.heard('identity provider cannot be discovered');
    const tls = { localhost: { ca: 'ca.pem' } };
    await own.configure(({ aggregator }) => ({
      aggregator: { ...aggregator, oauth: { ...(aggregator['oauth'] as JsonObject), tls } },
    }));
    await own.gateway.log.heard('identity provider found');
    const client_id = `${idp.issuerUrl}/client.json`;
    expect((await newBrowser().open(own.authorizeUrl({ client_id }))).status).equal(503);
    expect(requests('/client.json')).equal(0);
  });
});
