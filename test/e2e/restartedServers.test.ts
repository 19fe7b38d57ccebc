import { expect } from 'chai';
import type { JsonObject } from '../../kernel/index.ts';
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

  it('get the first call of a caller though it is news that they want a sign-in', async () => {
    await start({}, CALLS_ONLY);
    await auth.gateway.stop();
    auth.gateway.directory.remove('state/callers');
    await restart();
    expect(await alice.told('x_vault_whoami')).include('"account":"alice"');
    const bob = await signedIn(auth, 'bob');
    expect(await bob.told('x_vault_whoami')).include('core_auth_login');
  });
});
