import { expect } from 'chai';
import type { JsonObject } from '../../kernel/index.ts';
import type { AuthServer } from '../support/authServer.ts';
import { newBrowser } from '../support/browser.ts';
import { startGuardedSite } from '../support/guardedSite.ts';
import type { GuardedSite } from '../support/guardedSite.ts';
import { personWith, restarted, signInAtServer, signedIn, startPeopleGateway } from '../support/people.ts';
import type { Person } from '../support/people.ts';
import { until } from '../support/until.ts';

describe('e2e: people who sign in at servers', () => {
  let auth: AuthServer;
  let site: GuardedSite;

  async function start(rules: JsonObject = {}, more: Record<string, string> = {}): Promise<void> {
    site = await startGuardedSite();
    auth = await startPeopleGateway({
      files: {
        'mcpservers/vault.yaml': site.definition({ auth: { type: 'oauth', ...rules } }),
        'workflows/own.yaml': JSON.stringify({ steps: [{ id: 'a', tool: 'x_vault_only_for_alice' }] }),
        ...more,
      },
    });
  }
  async function atVault(person: Person, account: string): Promise<void> {
    const browser = newBrowser();
    site.issuer.signInAs(browser, account);
    const page = await signInAtServer(person, 'vault', { auth, as: account, browser });
    expect(page.status, page.text).equal(200);
  }

  describe('grants of a session', () => {
    it('belong to one sign-in: a second one of the same person is asked for its own link', async () => {
      await start();
      const laptop = await signedIn(auth, 'alice');
      await atVault(laptop, 'alice');
      expect(await laptop.told('x_vault_whoami')).include('"account":"alice"');
      const phone = await signedIn(auth, 'alice');
      expect(await phone.told('x_vault_whoami')).include('core_auth_login');
      expect(await phone.asked()).deep.equal(['vault']);
      await atVault(phone, 'alice');
      expect(await phone.told('x_vault_whoami')).include('"account":"alice"');
      await phone.callTool('core_auth_logout', { server: 'vault' });
      expect(await phone.asked()).deep.equal(['vault']);
      expect(await laptop.told('x_vault_whoami')).include('"account":"alice"');
    });

    it('end with the sign-in: grant, connection and list', async () => {
      await start();
      const alice = await signedIn(auth, 'alice');
      await atVault(alice, 'alice');
      expect(await alice.told('x_vault_whoami')).include('"account":"alice"');
      const { status } = await auth.post(
        { token: alice.tokens.refresh, client_id: 'test-client' },
        {},
        '/oauth/revoke',
      );
      expect(status).equal(200);
      await until(async () => (await auth.vault.list('server-grant:')).length === 0, {
        what: 'the end of the grant',
      });
      await until(() => site.openSessions() === 0, { what: 'the end of the connection' });
      const again = await signedIn(auth, 'alice');
      expect(await again.toolsOf('vault')).deep.equal([]);
      expect(await again.asked()).deep.equal(['vault']);
    });
  });

  describe('grants of a person', () => {
    it('are used by all sign-ins of the person, and by no other person; a logout in one drops them for all', async () => {
      await start({ grantScope: 'subject' });
      const laptop = await signedIn(auth, 'alice');
      await atVault(laptop, 'alice');
      const phone = await signedIn(auth, 'alice');
      expect(await phone.toolsOf('vault')).include('x_vault_only_for_alice');
      expect(await phone.told('x_vault_whoami')).include('"account":"alice"');
      const bob = await signedIn(auth, 'bob');
      expect(await bob.asked()).deep.equal(['vault']);
      await auth.post({ token: laptop.tokens.refresh, client_id: 'test-client' }, {}, '/oauth/revoke');
      expect(await phone.told('x_vault_whoami')).include('"account":"alice"');
      const third = await signedIn(auth, 'alice');
      await third.callTool('core_auth_logout', { server: 'vault' });
      expect(await phone.told('x_vault_whoami')).include('core_auth_login');
      expect(await phone.asked()).deep.equal(['vault']);
      expect(await phone.toolsOf('vault')).deep.equal([]);
    });
  });

  it('T93: the link of one person does not let another person’s account into that session', async () => {
    await start();
    const mallory = await signedIn(auth, 'mallory');
    const victim = newBrowser();
    site.issuer.signInAs(victim, 'alice');
    const page = await signInAtServer(mallory, 'vault', { auth, as: 'alice', browser: victim });
    expect(page.status).equal(403);
    expect(await mallory.told('x_vault_whoami')).include('core_auth_login');
    expect(site.requestsOf('alice')).equal(0);
    expect(await auth.vault.list('server-grant:')).satisfies((keys: string[]) => keys.length <= 1);
    await atVault(mallory, 'mallory');
    expect(await mallory.told('x_vault_whoami')).include('"account":"mallory"');
  });

  it('T100: nothing of one person’s servers is seen or used by another, also after a reconnection and a restart', async () => {
    await start(
      {},
      { 'workflows/prefix.yaml': JSON.stringify({ steps: [{ id: 'a', tool: 'core_service_list' }] }) },
    );
    let [alice, bob] = [await signedIn(auth, 'alice'), await signedIn(auth, 'bob')];
    await atVault(alice, 'alice');
    await atVault(bob, 'bob');
    const cyd = await signedIn(auth, 'cyd');
    const check = async (): Promise<void> => {
      const own = 'x_vault_only_for_alice';
      expect(await alice.told(own)).include('"own":"alice"');
      expect(await alice.told('workflow_own')).include('"own":"alice"');
      for (const other of [bob, cyd]) {
        expect(await other.toolsOf('vault')).not.include(own);
        const filtered = await other.callMeta('filter_tools', { pattern: '*alice*' });
        expect(JSON.stringify(filtered)).not.include(own);
        for (const tool of ['describe_tool', 'explain_tool']) {
          const answer = JSON.stringify(await other.callMeta(tool, { name: own }));
          expect(answer, tool).not.include('of the guarded server');
        }
        const called = await other.callTool(own);
        expect(called.isError).equal(true);
        const run = await other.callTool('workflow_own');
        expect(run.isError, JSON.stringify(run)).equal(true);
        for (const [method, key] of [
          ['resources/list', 'resources'],
          ['prompts/list', 'prompts'],
        ] as const)
          expect(JSON.stringify((await other.request(method))[key])).not.include('alice');
        for (const [method, params] of [
          ['resources/read', { uri: 'guarded://alice/notes' }],
          ['prompts/get', { name: 'x_vault_greet_alice' }],
          [
            'completion/complete',
            {
              ref: { type: 'ref/prompt', name: 'x_vault_greet_alice' },
              argument: { name: 'a', value: '' },
            },
          ],
        ] as const) {
          const answer = await other.request(method, params).then(JSON.stringify, String);
          expect(answer, method).not.include('notes of alice').and.not.include('Greet alice');
          expect(answer, method).match(/Error/);
        }
      }
      expect(JSON.stringify(await alice.request('resources/read', { uri: 'guarded://alice/notes' }))).include(
        'notes of alice',
      );
      expect(JSON.stringify(await alice.request('prompts/get', { name: 'x_vault_greet_alice' }))).include(
        'Greet alice',
      );
    };
    await check();
    await site.forgetSessions();
    await check();
    auth = await restarted(auth);
    [alice, bob] = [
      await personWith(auth, alice.tokens, alice.idToken),
      await personWith(auth, bob.tokens, bob.idToken),
    ];
    await check();
    expect(site.crossings()).equal(0);
  });
});
