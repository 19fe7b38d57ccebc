import { expect } from 'chai';
import type { JsonObject } from '../../kernel/index.ts';
import { mcpClient } from '../contract/index.ts';
import type { AuthServer } from '../support/authServer.ts';
import { newBrowser } from '../support/browser.ts';
import { startGuardedSite } from '../support/guardedSite.ts';
import type { GuardedSite } from '../support/guardedSite.ts';
import { signInAtServer, signedIn, startPeopleGateway } from '../support/people.ts';
import type { Person } from '../support/people.ts';

const OWN = { steps: [{ id: 'a', tool: 'x_vault_whoami' }] };
const OUTER = { steps: [{ id: 'b', tool: 'workflow_own' }] };

describe('e2e: workflows over a server that people sign in at', () => {
  let auth: AuthServer;
  let site: GuardedSite;

  beforeEach(async () => {
    site = await startGuardedSite();
    auth = await startPeopleGateway({
      files: {
        'mcpservers/vault.yaml': site.definition({ auth: { type: 'oauth' } }),
        'workflows/own.yaml': JSON.stringify(OWN),
        'workflows/outer.yaml': JSON.stringify(OUTER),
      },
    });
  });

  async function atVault(person: Person, account: string): Promise<void> {
    const browser = newBrowser();
    site.issuer.signInAs(browser, account);
    const page = await signInAtServer(person, 'vault', { auth, as: account, browser });
    expect(page.status, page.text).equal(200);
  }
  async function told(person: Person, tool: string, args: JsonObject = {}): Promise<JsonObject> {
    return JSON.parse(await person.told(tool, args)) as JsonObject;
  }
  async function availableIn(person: Person): Promise<unknown> {
    const { workflows } = await told(person, 'core_workflow_list');
    return (workflows as JsonObject[]).map(({ name, available }) => [name, available]);
  }
  async function described(person: Person, name: string): Promise<JsonObject> {
    const { content } = await person.callMeta('describe_tool', { name });
    return JSON.parse(String(content[0]?.['text'])) as JsonObject;
  }

  it('are available and read-only to who has signed in there, who need not have listed its tools', async () => {
    const alice = await signedIn(auth, 'alice');
    await atVault(alice, 'alice');
    for (const name of ['own', 'outer']) {
      expect(await told(alice, 'core_workflow_available', { name })).deep.equal({
        name,
        available: true,
        missing_tools: [],
        details: [],
      });
      expect((await told(alice, 'core_workflow_get', { name }))['workflow']).include({ available: true });
      expect((await described(alice, `workflow_${name}`))['annotations']).deep.equal({ readOnlyHint: true });
    }
    expect(await availableIn(alice)).deep.equal([
      ['outer', true],
      ['own', true],
    ]);
    const checked = await told(alice, 'core_workflow_validate', { name: 'next', ...OUTER });
    expect(checked).deep.include({
      warnings: [],
      tools: { available: true, missing: [], referenced: ['workflow_own'] },
    });
    const { steps, ...plan } = await told(alice, 'workflow_own', { _plan: true });
    expect(plan).deep.include({ available: true, missing_tools: [] });
    expect((steps as JsonObject[])[0]).deep.include({ annotations: { readOnlyHint: true } });
    expect(await alice.told('workflow_outer')).include('alice');
  });

  it('are not available to who has yet to sign in there, and say at which server and how', async () => {
    const alice = await signedIn(auth, 'alice');
    await atVault(alice, 'alice');
    const bob = await signedIn(auth, 'bob');
    expect(await availableIn(alice)).deep.equal([
      ['outer', true],
      ['own', true],
    ]);
    expect(await availableIn(bob)).deep.equal([
      ['outer', false],
      ['own', false],
    ]);
    const { details, ...rest } = await told(bob, 'core_workflow_available', { name: 'outer' });
    expect(rest).deep.equal({ name: 'outer', available: false, missing_tools: ['x_vault_whoami'] });
    const [missing = {}] = details as JsonObject[];
    expect(missing).include({
      tool: 'x_vault_whoami',
      code: 'UPSTREAM_AUTH_REQUIRED',
      server: 'vault',
      step: 'a',
    });
    expect(`${String(missing['reason'])}; ${String(missing['remedy'])}`)
      .include('vault')
      .and.include('core_auth_login with {"server": "vault"}')
      .and.not.include('did you mean');
    expect((await described(bob, 'workflow_own'))['annotations']).equal(undefined);
    const { warnings } = await told(bob, 'core_workflow_validate', { name: 'next', ...OWN });
    expect((warnings as JsonObject[])[0]?.['message']).include('core_auth_login with {"server": "vault"}');
    const run = await bob.told('workflow_own');
    expect(run).include('core_auth_login with {"server": "vault"}');
  });

  it('are among the tools that only read for who has signed in there, and for no other caller', async () => {
    const alice = await signedIn(auth, 'alice');
    const bob = await signedIn(auth, 'bob');
    await atVault(alice, 'alice');
    const reading = async (person: Person): Promise<readonly string[]> => {
      const authorization = `Bearer ${person.tokens.access}`;
      const client = await mcpClient(auth.base, { authorization, 'x-service-toolset': 'preset:read-only' });
      const { content } = await client.callMeta('list_tools', { limit: 500 });
      const { tools } = JSON.parse(String(content[0]?.['text'])) as { tools: { name: string }[] };
      return tools.map(({ name }) => name).filter((name) => name.startsWith('workflow_'));
    };
    expect(await reading(bob)).deep.equal([]);
    expect(await reading(alice)).deep.equal(['workflow_outer', 'workflow_own']);
  });
});
