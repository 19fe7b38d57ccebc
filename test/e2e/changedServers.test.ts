import { expect } from 'chai';
import type { JsonObject } from '../../kernel/index.ts';
import type { AuthServer } from '../support/authServer.ts';
import { newBrowser } from '../support/browser.ts';
import { movableClock } from '../support/clock.ts';
import { startGuardedSite } from '../support/guardedSite.ts';
import type { GuardedSite } from '../support/guardedSite.ts';
import { hashOf } from '../support/guardedServer.ts';
import { signInAtServer, signedIn, startPeopleGateway } from '../support/people.ts';
import type { Person } from '../support/people.ts';
import { startTrustingSite, trustedOf } from '../support/trustingSite.ts';

describe('e2e: servers that change while people are signed in', () => {
  let auth: AuthServer;

  async function atServer(person: Person, server: string, site: GuardedSite): Promise<void> {
    const browser = newBrowser();
    site.issuer.signInAs(browser, 'alice');
    const page = await signInAtServer(person, server, { auth, as: 'alice', browser });
    expect(page.status, page.text).equal(200);
  }
  async function define(name: string, definition: string): Promise<void> {
    auth.gateway.directory.write(`mcpservers/${name}.yaml`, definition);
    await auth.gateway.pipeline.reload();
  }

  it('T101: a server that is stopped is hidden and refuses the sign-in; once it is started, none is needed', async () => {
    const site = await startGuardedSite();
    auth = await startPeopleGateway({
      settings: { operators: { emails: ['alice@example.com'] } },
      files: { 'mcpservers/vault.yaml': site.definition({ auth: { type: 'oauth' } }) },
    });
    const [alice, bob] = [await signedIn(auth, 'alice'), await signedIn(auth, 'bob')];
    await atServer(alice, 'vault', site);
    expect(await alice.told('x_vault_whoami')).include('alice');
    const stopped = await alice.callTool('core_service_stop', { name: 'vault' });
    expect(stopped.isError, JSON.stringify(stopped)).not.equal(true);
    for (const person of [alice, bob]) {
      const login = await person.callTool('core_auth_login', { server: 'vault' });
      expect([login.isError, String(login.content[0]?.['text'])].join(' ')).match(
        /^true Server 'vault' is deactivated \(spec\.suspended=true\); activate it with core_service_start before signing in/,
      );
      expect(await person.toolsOf('vault')).deep.equal([]);
      expect(await person.asked()).deep.equal([]);
      expect(await person.statusOf('vault')).include({ status: 'disconnected', suspended: true });
      const call = await person.callTool('x_vault_whoami');
      expect(call.isError).equal(true);
      expect(JSON.stringify(await person.request('resources/list'))).not.include('guarded://');
      expect(JSON.stringify(await person.request('prompts/list'))).not.include('greet_');
    }
    await alice.callTool('core_service_start', { name: 'vault' });
    expect(await alice.toolsOf('vault')).include('x_vault_only_for_alice');
    expect(await alice.told('x_vault_whoami')).include('"account":"alice"');
    expect(await alice.asked()).deep.equal([]);
    expect(await bob.asked()).deep.equal(['vault']);
    expect(site.issuer.tokenRequests.filter(({ grantType }) => grantType === 'authorization_code')).lengthOf(
      1,
    );
  });

  it('U68: another auth takes effect for the server in running sessions, and for no other server', async () => {
    const [changing, other] = [
      await startTrustingSite(() => trustedOf(auth.provider)),
      await startGuardedSite(),
    ];
    const pinned = await startGuardedSite();
    auth = await startPeopleGateway({
      files: {
        'mcpservers/changing.yaml': pinned.definition({ auth: { type: 'oauth' } }),
        'mcpservers/other.yaml': other.definition({ auth: { type: 'oauth' } }),
      },
    });
    const alice = await signedIn(auth, 'alice');
    await atServer(alice, 'changing', pinned);
    await atServer(alice, 'other', other);
    await alice.told('x_changing_whoami');
    await alice.told('x_other_whoami');
    const sessions = other.sessionsBegun();
    // The provider has issued it when she came to sign in at a server.
    const idToken = String(auth.provider.issued.at(-1)?.['id_token']);
    await define('changing', changing.definition({ auth: { type: 'oauth' } }));
    expect(await alice.told('x_changing_whoami')).include('the server has moved');
    await define('changing', changing.definition({ auth: { forwardToken: true } }));
    expect(await alice.told('x_changing_echo_authorization')).equal(
      JSON.stringify({ hash: hashOf(idToken) }),
    );
    expect(await alice.statusOf('changing')).include({ status: 'connected', token_forwarding_enabled: true });
    await define('changing', changing.definition({ auth: { type: 'oauth' } }));
    expect(await alice.told('x_changing_whoami')).include('core_auth_login');
    expect(changing.tokens()).deep.equal([idToken]);
    expect(await alice.told('x_other_whoami')).include('alice');
    expect(other.sessionsBegun()).equal(sessions);
  });

  it('a grant for another url is lost, never sent there, and asked for again', async () => {
    const [first, second] = [
      await startGuardedSite(),
      await startTrustingSite(() => trustedOf(auth.provider)),
    ];
    const auth_: JsonObject = { auth: { type: 'oauth' } };
    auth = await startPeopleGateway({ files: { 'mcpservers/vault.yaml': first.definition(auth_) } });
    const alice = await signedIn(auth, 'alice');
    await atServer(alice, 'vault', first);
    await alice.told('x_vault_whoami');
    await define('vault', second.definition(auth_));
    expect(await alice.told('x_vault_whoami'))
      .include('the server has moved')
      .and.include('core_auth_login');
    const { grant } = (await alice.statusOf('vault')) as { readonly grant?: JsonObject };
    expect(grant).include({ state: 'lost' });
    expect(await alice.asked()).deep.equal(['vault']);
    expect(second.tokens()).deep.equal([]);
  });

  it('T97: a server that names the authorization server of another one gets a token for itself only', async () => {
    const honest = await startGuardedSite();
    const malicious = await startGuardedSite({ issuer: honest.issuer });
    auth = await startPeopleGateway({
      files: {
        'mcpservers/honest.yaml': honest.definition({ auth: { type: 'oauth' } }),
        'mcpservers/malicious.yaml': malicious.definition({ auth: { type: 'oauth' } }),
      },
    });
    const alice = await signedIn(auth, 'alice');
    await atServer(alice, 'honest', honest);
    expect(await alice.told('x_malicious_whoami')).include('core_auth_login');
    expect(malicious.refusals().withToken).equal(0);
    await atServer(alice, 'malicious', malicious);
    const { hash: stolen } = JSON.parse(await alice.told('x_malicious_echo_authorization')) as {
      hash: string;
    };
    const { hash: own } = JSON.parse(await alice.told('x_honest_echo_authorization')) as { hash: string };
    expect(stolen).not.equal(own);
    expect(malicious.refusals().withToken).equal(0);
    expect(honest.refusals().withToken).equal(0);
    // It claims to be the other one: its own requests would then need tokens for the other.
    malicious.changeMetadata((metadata) => ({ ...metadata, resource: honest.url }));
    await alice.callTool('core_auth_logout', { server: 'malicious' });
    const refused = await alice.callTool('core_auth_login', { server: 'malicious' });
    expect(JSON.stringify(refused)).include('which is not the server at');
    expect(refused.isError).equal(true);
  });

  it('T98: a refresh token goes to the token endpoint of its grant only, whatever the server publishes later', async () => {
    const { later } = movableClock();
    const site = await startGuardedSite({ issuer: { lifetime: 120 } });
    const evil = await startGuardedSite();
    auth = await startPeopleGateway({
      files: { 'mcpservers/vault.yaml': site.definition({ auth: { type: 'oauth' } }) },
    });
    const alice = await signedIn(auth, 'alice');
    await atServer(alice, 'vault', site);
    await alice.told('x_vault_whoami');
    site.changeMetadata((honest) => ({ ...honest, authorization_servers: [evil.issuer.issuer] }));
    site.issuer.changeMetadata((honest) => ({ ...honest, token_endpoint: `${evil.issuer.issuer}/token` }));
    later(200_000);
    expect(await alice.told('x_vault_whoami')).include('"account":"alice"');
    expect([...site.issuer.refreshes().values()]).deep.equal([1]);
    expect(evil.issuer.tokenRequests).deep.equal([]);
    expect(evil.issuer.requests('/token')).equal(0);
  });
});
