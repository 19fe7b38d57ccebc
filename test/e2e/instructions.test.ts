import { expect } from 'chai';
import { mcpClient } from '../contract/index.ts';
import { newBrowser } from '../support/browser.ts';
import { startGuardedSite } from '../support/guardedSite.ts';
import { signInAtServer, signedIn, startPeopleGateway } from '../support/people.ts';
import type { Person } from '../support/people.ts';

describe('e2e: instructions', () => {
  it('say at which server a person has yet to sign in', async () => {
    const site = await startGuardedSite();
    const vault = site.definition({ auth: { type: 'oauth' }, description: 'Secrets of each person' });
    const auth = await startPeopleGateway({ files: { 'mcpservers/vault.yaml': vault } });
    const [alice, bob] = [await signedIn(auth, 'alice'), await signedIn(auth, 'bob')];
    const lineFor = async ({ tokens }: Person): Promise<string> => {
      const client = await mcpClient(auth.base, { authorization: `Bearer ${tokens.access}` });
      return String(client.initialized['instructions']).split('\n').slice(1).join('\n');
    };
    const needed = '- vault (needs sign-in): Secrets of each person';
    expect([await lineFor(alice), await lineFor(bob)]).deep.equal([needed, needed]);
    const browser = newBrowser();
    site.issuer.signInAs(browser, 'alice');
    const page = await signInAtServer(alice, 'vault', { auth, as: 'alice', browser });
    expect(page.status, page.text).equal(200);
    const known = '- vault: Secrets of each person';
    expect([await lineFor(alice), await lineFor(bob)]).deep.equal([known, needed]);
  });
});
