import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect } from 'chai';
import { newBrowser, signIn } from '../../support/browser.ts';
import { movableClock } from '../../support/clock.ts';
import { startGuardedSite } from '../../support/guardedSite.ts';
import type { GuardedSite } from '../../support/guardedSite.ts';
import { publishJson } from '../../support/publishedMetadata.ts';
import { SDK_CALLBACK, sdkSignIn } from '../../support/sdkSignIn.ts';
import type { IssuerOptions } from '../../support/serverIssuer.ts';
import { serveWithOutages } from '../../support/serveWithOutages.ts';
import { until } from '../../support/until.ts';

/** The guarded site of the tests, as the official SDK's client meets it. */
describe('the guarded site', () => {
  it('lists and answers by the account that signed in', async () => {
    const site = await startGuardedSite();
    const alice = await connect(site, 'alice');
    const bob = await connect(site, 'bob');
    expect(await tools(alice))
      .to.include('only_for_alice')
      .and.not.include('only_for_bob');
    expect(await tools(bob)).to.include('only_for_bob');
    expect(await call(alice, 'whoami')).to.deep.include({ account: 'alice', scopes: ['mcp'] });
    expect(await call(bob, 'whoami')).to.deep.include({ account: 'bob' });
    expect((await bob.listPrompts()).prompts.map(({ name }) => name)).to.deep.equal(['greet_bob']);
    const read = await alice.readResource({ uri: 'guarded://alice/notes' });
    expect(read.contents).to.deep.include({ uri: 'guarded://alice/notes', text: 'notes of alice' });
    await refused(bob.readResource({ uri: 'guarded://alice/notes' }), 'no resource');
    expect(site.crossings()).to.equal(0);
    expect(site.refusals()).to.deep.equal({ withoutToken: 2, withToken: 0 });
  });

  it('rotates refresh tokens, and counts refreshes by grant', async () => {
    const clock = movableClock();
    const site = await startGuardedSite({ issuer: { lifetime: 60 } });
    const alice = await connect(site, 'alice');
    for (let expiry = 0; expiry < 3; expiry += 1) {
      await call(alice, 'whoami');
      clock.later(61_000);
    }
    await call(alice, 'whoami');
    expect([...site.issuer.refreshes().values()]).to.deep.equal([3]);
    const sent = site.issuer.tokenRequests.flatMap(({ params }) => params['refresh_token'] ?? []);
    expect(new Set(sent).size).to.equal(3);
  });

  it('loses a grant whose rotated token comes again, but not within the time for that', async () => {
    const clock = movableClock();
    const strict = await startGuardedSite({ issuer: { lifetime: 60 } });
    const mild = await startGuardedSite({ issuer: { lifetime: 60, reuseSeconds: 30 } });
    for (const site of [strict, mild]) {
      const alice = await connect(site, 'alice');
      clock.later(61_000);
      site.issuer.loseNextRefreshAnswer();
      await refused(call(alice, 'whoami'), 'Unauthorized');
      expect([...site.issuer.refreshes().values()]).to.deep.equal([1]);
      if (site === strict) await refused(call(alice, 'whoami'), 'grant request is invalid');
      else expect(await call(alice, 'whoami')).to.deep.include({ account: 'alice' });
    }
  });

  it('refuses tokens of an ended grant, of another issuer and of an old key', async () => {
    const breaks: Readonly<Record<string, (site: GuardedSite) => unknown>> = {
      revoke: (site) => site.issuer.revoke('alice'),
      refuseTokens: (site) => site.refuseTokens(),
      changeIssuer: (site) => site.changeIssuer(),
    };
    for (const [name, break_] of Object.entries(breaks)) {
      const site = await startGuardedSite();
      const alice = await connect(site, 'alice');
      await call(alice, 'whoami');
      await break_(site);
      await refused(call(alice, 'whoami'), '', name);
      expect(site.refusals().withToken, name).to.be.greaterThan(0);
    }
    const site = await startGuardedSite();
    const alice = await connect(site, 'alice');
    site.issuer.rotateKeys();
    expect(await call(alice, 'whoami')).to.deep.include({ account: 'alice' });
    expect(site.refusals().withToken).to.equal(1);
    expect([...site.issuer.refreshes().values()]).to.deep.equal([1]);
  });

  it('forgets clients, shrinks scopes, fails and changes its answers', async () => {
    const clock = movableClock();
    const site = await startGuardedSite({ issuer: { lifetime: 60 }, challenges: () => ['Bearer'] });
    site.changeMetadata((honest) => ({ ...honest, scopes_supported: ['mcp', 'extra'] }));
    const alice = await connect(site, 'alice');
    expect(await call(alice, 'whoami')).to.deep.include({ scopes: ['mcp', 'extra'] });
    site.issuer.shrinkScope('mcp');
    clock.later(61_000);
    expect(await call(alice, 'whoami')).to.deep.include({ scopes: ['mcp'] });
    clock.later(61_000);
    site.issuer.tokenEndpointFails(503, 1);
    await refused(call(alice, 'whoami'), 'Unauthorized');
    expect(await call(alice, 'whoami')).to.deep.include({ account: 'alice' });
    site.issuer.answerWith({ expires_in: undefined, scope: 'mcp '.repeat(1_000).trim() });
    clock.later(61_000);
    expect(await call(alice, 'whoami')).to.deep.include({ account: 'alice' });
    site.issuer.forgetClients();
    clock.later(61_000);
    await refused(call(alice, 'whoami'), 'client authentication failed');
  });

  it('moves, and removes its metadata', async () => {
    const site = await startGuardedSite();
    const alice = await connect(site, 'alice');
    const old = site.url;
    expect(await site.move())
      .to.equal(site.url)
      .and.not.equal(old);
    await refused(call(alice, 'whoami'), 'fetch failed');
    expect(await call(await connect(site, 'bob'), 'whoami')).to.deep.include({ account: 'bob' });
    const at = (base: string, name: string): string => new URL(`/.well-known/${name}`, base).href;
    const places = [
      at(site.url, 'oauth-protected-resource/mcp'),
      at(site.issuer.issuer, 'oauth-authorization-server'),
    ];
    for (const place of places) expect((await fetch(place)).status, place).to.equal(200);
    site.removeMetadata();
    for (const place of places) expect((await fetch(place)).status, place).to.equal(404);
  });

  it('knows clients by their documents, if it is meant to', async () => {
    const document = await serveWithOutages((_, res) => publishJson(res, { ...client, client_id: id }));
    const id = `${document.url}/client.json`;
    const client = { redirect_uris: [SDK_CALLBACK], token_endpoint_auth_method: 'none' };
    const sought = { client_id: id, redirect_uri: SDK_CALLBACK, response_type: 'code', scope: 'mcp' };
    const query = new URLSearchParams({
      ...sought,
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
    });
    const statuses = ['documents', 'dynamic'].map(async (registration) => {
      const { issuer } = await startGuardedSite({ issuer: { registration } as IssuerOptions });
      const answer = await fetch(`${issuer.url}/auth?${query.toString()}`, { redirect: 'manual' });
      return answer.status;
    });
    expect(await Promise.all(statuses)).to.deep.equal([303, 400]);
  });

  it('answers 403 to a token without the scope of a tool', async () => {
    const site = await startGuardedSite();
    await refused(call(await connect(site, 'alice'), 'needs_scope'), '');
    const wide = await startGuardedSite({ challenges: () => ['Bearer'] });
    wide.changeMetadata((honest) => ({ ...honest, scopes_supported: ['mcp', 'extra'] }));
    expect(await call(await connect(wide, 'alice'), 'needs_scope')).to.deep.equal({ account: 'alice' });
  });
});

async function connect(site: GuardedSite, account: string): Promise<Client> {
  const browser = newBrowser();
  site.issuer.signInAs(browser, account);
  const browse = (url: URL): Promise<URL> =>
    signIn(url.href, { browser, until: (at) => at.startsWith(SDK_CALLBACK) });
  const client = await sdkSignIn(site.url, browse);
  // initialize, initialized, and its stream, which could be refused later.
  await until(() => site.requestsOf(account) === 3);
  return client;
}
async function tools(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}
async function call(client: Client, name: string): Promise<unknown> {
  const { content } = await client.callTool({ name });
  return JSON.parse((content as readonly { readonly text: string }[])[0]?.text ?? '');
}
async function refused(asked: Promise<unknown>, text: string, what = text): Promise<void> {
  const error: unknown = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error, what).to.be.an('error');
  expect(String(error)).to.include(text);
}
