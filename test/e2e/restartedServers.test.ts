import { expect } from 'chai';
import type { JsonObject } from '../../kernel/index.ts';
import { GuardedServers } from '../../plugins/contracts/credentials.ts';
import { Vault } from '../../plugins/contracts/vault.ts';
import { eventually } from '../contract/index.ts';
import type { AuthServer } from '../support/authServer.ts';
import { newBrowser } from '../support/browser.ts';
import { startGuardedSite } from '../support/guardedSite.ts';
import type { GuardedSite } from '../support/guardedSite.ts';
import { personWith, restarted, signInAtServer, signedIn, startPeopleGateway } from '../support/people.ts';
import type { Person } from '../support/people.ts';

/** Answers everything to anyone, except calls. */
const CALLS_ONLY = (method?: string): boolean => method !== 'tools/call';
const OWN = 'x_vault_only_for_alice';

describe('e2e: servers that callers sign in to, after a restart', () => {
  let auth: AuthServer;
  let site: GuardedSite;
  let alice: Person;

  async function start(spec: JsonObject, needsNoToken?: (method?: string) => boolean): Promise<void> {
    site = await startGuardedSite(needsNoToken === undefined ? {} : { needsNoToken });
    auth = await startPeopleGateway({ files: { 'mcpservers/vault.yaml': site.definition(spec) } });
    alice = await signedIn(auth, 'alice');
    if (spec['auth'] === undefined) await alice.callTool('x_vault_whoami');
    const browser = newBrowser();
    site.issuer.signInAs(browser, 'alice');
    const page = await signInAtServer(alice, 'vault', { auth, as: 'alice', browser });
    expect(page.status, page.text).equal(200);
    expect(await alice.told('x_vault_whoami')).include('"account":"alice"');
    expect(await alice.toolsOf('vault')).include(OWN);
  }
  async function restart(): Promise<void> {
    auth = await restarted(auth);
    alice = await personWith(auth, alice.tokens, alice.idToken);
  }
  function vault(): Vault {
    const [one] = auth.gateway.kernel.registry.all(Vault.id) as readonly Vault[];
    return one!;
  }
  /** Keys of what the gateway keeps for the callers of the server. */
  function kept(): Promise<readonly string[]> {
    return vault().list('listed:vault:');
  }
  /** Those of their lists: not whether the server is locked. */
  async function keptLists(): Promise<readonly string[]> {
    return (await kept()).filter((key) => !key.endsWith(':challenges'));
  }
  async function listKey(): Promise<string> {
    return (await kept()).find((key) => key.includes(':list:')) ?? '';
  }
  /** Empty while none is kept. */
  async function keptList(): Promise<string> {
    const key = await listKey();
    return key === '' ? '' : JSON.stringify((await vault().get(key)) ?? '');
  }

  it('keep what they listed for a caller whose grant is lost, for no one else', async () => {
    await start({ auth: { type: 'oauth' } });
    await site.issuer.revoke('alice');
    expect(await alice.told('x_vault_whoami')).include('core_auth_login');
    await restart();
    expect(await alice.toolsOf('vault')).include(OWN);
    expect(await alice.told(OWN)).include('core_auth_login');
    expect(JSON.stringify(await alice.request('resources/list'))).include('guarded://alice/notes');
    expect(JSON.stringify(await alice.request('prompts/list'))).include('greet_alice');
    const bob = await signedIn(auth, 'bob');
    expect(await bob.toolsOf('vault')).deep.equal([]);
    expect(JSON.stringify(await bob.callTool(OWN))).not.include('account');
  });

  for (const [what, spec] of [
    ['with auth in their definition', { auth: { type: 'oauth' } }],
    ['known by a 401 alone', {}],
  ] as const)
    it(`keep what they listed for a caller while they are away, ${what}`, async () => {
      await start(spec);
      site.server.fail(503);
      await restart();
      expect(await alice.toolsOf('vault')).include(OWN);
      const bob = await signedIn(auth, 'bob');
      expect(await bob.toolsOf('vault')).not.include(OWN);
      site.server.resume();
      expect(await alice.told('x_vault_whoami')).include('"account":"alice"');
    });

  it('are read anew if what they listed was damaged', async () => {
    await start({ auth: { type: 'oauth' } });
    const key = await eventually(listKey, 'the list of the server');
    await vault().set(key, { listing: 'x' });
    await restart();
    expect(await alice.toolsOf('vault')).include(OWN);
    await eventually(async () => (await keptList()).includes('only_for_alice'), 'the list of the server');
  });

  it('leave nothing behind of a caller who has signed out, nor of a server that was removed', async () => {
    await start({ auth: { type: 'oauth' } });
    await restart();
    expect(await keptList()).include('only_for_alice');
    await alice.callTool('core_auth_logout', { server: 'vault' });
    expect(await keptLists()).deep.equal([]);
    await restart();
    expect(await alice.toolsOf('vault')).deep.equal([]);
    auth.gateway.directory.remove('mcpservers/vault.yaml');
    await auth.gateway.pipeline.reload();
    await eventually(async () => (await kept()).length === 0, 'the end of what was kept');
  });

  it('get the first call of a caller on the caller’s own connection, whatever they answer to anyone', async () => {
    await start({}, CALLS_ONLY);
    await restart();
    const { withoutToken } = site.refusals();
    expect(await alice.told('x_vault_whoami')).include('"account":"alice"');
    expect(site.refusals().withoutToken).equal(withoutToken);
    const bob = await signedIn(auth, 'bob');
    expect(await bob.told('x_vault_whoami')).include('core_auth_login');
  });

  it('get the first call of a caller though it is news that they want a sign-in', async () => {
    await start({}, CALLS_ONLY);
    for (const key of await kept()) await vault().delete(key);
    await restart();
    expect(await alice.told('x_vault_whoami')).include('"account":"alice"');
    const bob = await signedIn(auth, 'bob');
    expect(await bob.told('x_vault_whoami')).include('core_auth_login');
  });

  it('are signed in to at the place that they have named before the restart', async () => {
    await start({}, CALLS_ONLY);
    const named = (): readonly string[] | undefined => {
      const [servers] = auth.gateway.kernel.registry.all(GuardedServers.id) as readonly GuardedServers[];
      return servers?.get('vault')?.challenges;
    };
    const challenges = named();
    expect(challenges?.join()).include('resource_metadata=');
    await restart();
    expect(named()).deep.equal(challenges);
  });

  it('leave nothing behind of a sign-in that ends before its first request', async () => {
    await start({ auth: { type: 'oauth' } });
    auth = await restarted(auth);
    expect(await keptLists()).lengthOf(2);
    const { status } = await auth.post(
      { token: alice.tokens.refresh, client_id: 'test-client' },
      {},
      '/oauth/revoke',
    );
    expect(status).equal(200);
    await eventually(async () => (await keptLists()).length === 0, 'the end of what was kept');
  });
});
