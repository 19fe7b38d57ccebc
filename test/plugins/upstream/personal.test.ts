import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { eventually, mcpClient, startGateway } from '../../contract/index.ts';
import type { McpClient, TestGateway } from '../../contract/index.ts';
import { CapabilityRegistry } from '../../../kernel/capabilities.ts';
import { CallerCredentials, GuardedServers } from '../../../plugins/contracts/credentials.ts';
import { defer } from '../../support/cleanup.ts';
import { moduleOf } from '../../support/gateway.ts';
import { startGuardedSite } from '../../support/guardedSite.ts';
import type { GuardedSite } from '../../support/guardedSite.ts';
import { hashOf } from '../../support/guardedServer.ts';
import { identify } from '../../support/identify.ts';
import { gate } from '../../support/until.ts';
import type { ServerIssuer } from '../../support/serverIssuer.ts';
import { ROOT } from '../../support/sources.ts';
import { Callers } from './callersOf.ts';
import { HttpFixture } from './httpFixture.ts';

const TOLD = fileURLToPath(new URL('test/plugins/upstream/fixtures/told.mjs', `file://${ROOT}/`));

type Lookup = CapabilityRegistry['all'];

interface Started {
  readonly gateway: TestGateway;
  readonly site: GuardedSite;
  readonly callers: Callers;
  readonly as: (subject: string) => Promise<McpClient>;
  /** Token → account. */
  readonly accounts: Map<string, string>;
}

async function start(
  definition: object = { auth: { type: 'oauth' } },
  needsNoToken: (method?: string) => boolean = () => false,
): Promise<Started> {
  const accounts = new Map([
    ['ann-1', 'ann'],
    ['bob-1', 'bob'],
  ]);
  const issuer = {
    issuer: 'http://127.0.0.1:1',
    protect: () => undefined,
    check: (token: string) => {
      const account = accounts.get(token);
      return Promise.resolve(account === undefined ? undefined : { account, scopes: ['mcp'] });
    },
  } as unknown as ServerIssuer;
  const site = await startGuardedSite({ issuer, needsNoToken });
  const callers = new Callers();
  const gateway = await startGateway({
    files: {
      'config.yaml': JSON.stringify({
        operators: { issuers: [{ issuer: 'https://people', subjects: ['ann', 'bob'] }] },
        plugins: {
          'auth-client': false,
          'test-identify': { module: './identify.mjs' },
          'test-callers': { module: './callers.mjs' },
        },
      }),
      'identify.mjs': moduleOf(identify),
      'callers.mjs': moduleOf(callers.plugin),
      'mcpservers/vault.yaml': site.definition(definition as never),
    },
  });
  defer(() => gateway.stop());
  const as = (subject: string): Promise<McpClient> =>
    mcpClient(gateway.url(), { 'x-caller': `https://people ${subject}` });
  return { gateway, site, callers, as, accounts };
}

const NOTICE = { reason: 'Granted', message: 'signed in', severity: 'Normal' } as const;

async function namesFor(client: McpClient): Promise<readonly string[]> {
  const { content } = await client.callMeta('list_tools', { limit: 500 });
  const { tools } = JSON.parse(String(content[0]?.['text'])) as {
    tools: { name: string; server?: string }[];
  };
  return tools.filter(({ server }) => server === 'vault').map(({ name }) => name);
}
async function told(client: McpClient, name: string): Promise<Record<string, unknown>> {
  const { content } = await client.callTool(name);
  return JSON.parse(String(content[0]?.['text'])) as Record<string, unknown>;
}
async function refusal(client: McpClient, name: string): Promise<string> {
  const { content, isError } = await client.callTool(name);
  expect(isError).to.equal(true);
  return String(content[0]?.['text']);
}

describe('upstream: servers that callers sign in to', () => {
  it('have each call sent with the credential of its caller, on a connection of its own', async () => {
    const { callers, as, site } = await start();
    callers.tokens.set('ann', 'ann-1').set('bob', 'bob-1');
    const [ann, bob] = [await as('ann'), await as('bob')];
    expect(await told(ann, 'x_vault_whoami')).to.have.property('account', 'ann');
    expect(await told(bob, 'x_vault_whoami')).to.have.property('account', 'bob');
    expect(await told(bob, 'x_vault_echo_authorization')).to.deep.equal({ hash: hashOf('bob-1') });
    expect(site.crossings()).to.equal(0);
  });

  it('look up who signs callers in when that changes only, not with each question', async () => {
    const { gateway } = await start();
    const vault = gateway.get(GuardedServers).get('vault')!;
    let lookups = 0;
    const all = Object.getOwnPropertyDescriptor(CapabilityRegistry.prototype, 'all')!.value as Lookup;
    CapabilityRegistry.prototype.all = function (id) {
      if (id === CallerCredentials.id) lookups += 1;
      return all.call(this, id);
    };
    defer(() => void (CapabilityRegistry.prototype.all = all));
    for (let times = 0; times < 100; times += 1) expect(vault.isPersonal).to.equal(true);
    expect(lookups).to.equal(0);
    const config = { plugins: { 'auth-client': false, 'test-identify': { module: './identify.mjs' } } };
    await writeFile(join(gateway.directory, 'config.yaml'), JSON.stringify(config));
    await gateway.control.reload();
    expect(vault.isPersonal).to.equal(false);
  });

  it('show each caller what the server lists for that caller', async () => {
    const { callers, as } = await start();
    callers.tokens.set('ann', 'ann-1').set('bob', 'bob-1');
    const [ann, bob, cyd] = [await as('ann'), await as('bob'), await as('cyd')];
    expect(await namesFor(ann))
      .to.include('x_vault_only_for_ann')
      .and.not.include('x_vault_only_for_bob');
    expect(await namesFor(bob))
      .to.include('x_vault_only_for_bob')
      .and.not.include('x_vault_only_for_ann');
    expect(await namesFor(cyd)).to.deep.equal([]);
    expect(await refusal(bob, 'x_vault_only_for_ann')).to.include('not found');
    const list = async (client: McpClient, method: string, key: string): Promise<string> =>
      JSON.stringify((await client.request(method))[key]);
    expect(await list(ann, 'resources/list', 'resources'))
      .to.include('guarded://ann')
      .and.not.include('bob');
    expect(await list(cyd, 'resources/list', 'resources')).to.not.include('guarded://');
    const read = await ann.request('resources/read', { uri: 'guarded://ann/notes' });
    expect(JSON.stringify(read)).to.include('notes of ann');
    await bob.request('resources/read', { uri: 'guarded://ann/notes' }).then(
      () => expect.fail('read'),
      (error: unknown) => expect(String(error)).to.include('guarded://ann/notes'),
    );
  });

  it('keep what they show a caller when another one with an equal list leaves', async () => {
    const { callers, as, accounts, gateway } = await start();
    accounts.set('cat-1', 'ann');
    callers.tokens.set('ann', 'ann-1').set('bob', 'bob-1').set('cat', 'cat-1');
    const all = [await as('ann'), await as('bob'), await as('cat')] as const;
    const shown = async (): Promise<readonly number[]> =>
      Promise.all(all.map(async (client) => (await namesFor(client)).length));
    const [full = 0] = await shown();
    expect(full).to.be.above(0);
    const vault = gateway.get(GuardedServers).get('vault')!;
    for (const [gone, left] of [
      ['cat', [full, full, 0]],
      ['bob', [full, 0, 0]],
      ['ann', [0, 0, 0]],
    ] as const) {
      await vault.disconnect(gone, true);
      expect(await shown(), gone).to.deep.equal(left);
    }
    await vault.connect(callers.credentialOf('cat', 'vault'));
    expect(await shown()).to.deep.equal([0, 0, full]);
  });

  it('tell a caller who has not signed in what to call', async () => {
    const { as } = await start();
    const cyd = await as('cyd');
    expect(await refusal(cyd, 'x_vault_whoami')).to.include('core_auth_login with {"server": "vault"}');
    const { content } = await cyd.callMeta('explain_tool', { name: 'x_vault_whoami' });
    expect(String(content[0]?.['text'])).to.include('core_auth_login');
  });

  it('are used by the same session as soon as the caller has signed in', async () => {
    const { callers, as } = await start();
    const ann = await as('ann');
    expect(await namesFor(ann)).to.deep.equal([]);
    callers.tokens.set('ann', 'ann-1');
    callers.emit({ ...NOTICE, type: 'grant.granted', server: 'vault', holder: 'ann', state: 'valid' });
    expect(await told(ann, 'x_vault_whoami')).to.have.property('account', 'ann');
  });

  it('are used by a session whose caller has signed in at another process', async () => {
    const { callers, as } = await start();
    const [ann, bob] = [await as('ann'), await as('bob')];
    expect(await refusal(ann, 'x_vault_whoami')).to.include('core_auth_login');
    expect(await refusal(bob, 'x_vault_whoami')).to.include('core_auth_login');
    callers.tokens.set('ann', 'ann-1').set('bob', 'bob-1');
    callers.signedIn('ann');
    expect(await told(ann, 'x_vault_whoami')).to.have.property('account', 'ann');
    expect(await namesFor(bob)).to.deep.equal([]);
  });

  it('send a refused call again once its credential is renewed', async () => {
    const { callers, as, accounts } = await start();
    callers.tokens.set('ann', 'ann-1');
    const ann = await as('ann');
    await told(ann, 'x_vault_whoami');
    accounts.delete('ann-1');
    accounts.set('ann-2', 'ann');
    callers.renewed.set('ann', 'ann-2');
    expect(await told(ann, 'x_vault_echo_authorization')).to.deep.equal({ hash: hashOf('ann-2') });
    expect(callers.refusals.map(({ status }) => status)).to.deep.equal([401]);
    accounts.delete('ann-2');
    expect(await refusal(ann, 'x_vault_whoami')).to.include('ann must sign in to vault');
    expect(await namesFor(ann)).to.include('x_vault_whoami');
  });

  it('get no call after they were stopped while its credential was renewed', async () => {
    const { callers, as } = await start();
    callers.tokens.set('ann', 'ann-1');
    const ann = await as('ann');
    await told(ann, 'x_vault_whoami');
    const [reached, renewed] = [gate(), gate()];
    callers.preparing = () => {
      reached.open();
      return renewed.opened;
    };
    const refused = refusal(ann, 'x_vault_whoami');
    await reached.opened;
    const { isError } = await (await as('bob')).callTool('core_service_stop', { name: 'vault' });
    expect(isError).to.not.equal(true);
    renewed.open();
    expect(await refused).to.include('vault (stopped)');
  });

  it('get what the credential in force says, also if another object held it before', async () => {
    const { callers, as, accounts } = await start();
    callers.tokens.set('ann', 'ann-1');
    const ann = await as('ann');
    await told(ann, 'x_vault_whoami');
    callers.replace();
    accounts.delete('ann-1');
    accounts.set('ann-2', 'ann');
    callers.tokens.set('ann', 'ann-2');
    expect(await told(ann, 'x_vault_echo_authorization')).to.deep.equal({ hash: hashOf('ann-2') });
    expect(callers.refusals).to.deep.equal([]);
  });

  it('fail calls whose credential cannot be refreshed in time, with that cause', async () => {
    const { callers, as } = await start({ auth: { type: 'oauth' }, timeout: 1 });
    callers.tokens.set('ann', 'ann-1');
    const ann = await as('ann');
    await told(ann, 'x_vault_whoami');
    callers.preparing = () => new Promise(() => undefined);
    expect(await refusal(ann, 'x_vault_whoami')).to.include(
      'credential of the caller took more than 1000 ms',
    );
    callers.preparing = () => undefined;
    expect(await told(ann, 'x_vault_whoami')).to.have.property('account', 'ann');
  });

  it('are not connected if the owner signs out before the connection is made', async () => {
    const { callers, gateway } = await start();
    callers.tokens.set('ann', 'ann-1');
    const [reached, read] = [gate(), gate()];
    let questions = 0;
    callers.preparing = () => {
      questions += 1;
      if (questions === 1) return undefined;
      reached.open();
      return read.opened;
    };
    const vault = gateway.get(GuardedServers).get('vault')!;
    const connected = vault.connect(callers.credentialOf('ann', 'vault')).then(
      () => 'connected',
      (error: unknown) => String(error),
    );
    await reached.opened;
    await vault.disconnect('ann', true);
    read.open();
    expect(await connected).to.include('was ended before its lists were read');
    const { tools } = await vault.connect(callers.credentialOf('ann', 'vault'));
    expect(tools).to.include('x_vault_whoami');
  });

  it('keep no idle connection of a caller for long, even if the server would', async () => {
    const server = new HttpFixture();
    await server.listen();
    defer(() => server.kill());
    const { callers, as, gateway } = await start({ auth: { type: 'oauth' }, url: server.url });
    await eventually(() => server.streams === 1, 'the stream of the shared connection');
    const shared = server.sockets;
    callers.tokens.set('ann', 'ann-1');
    const ann = await as('ann');
    expect((await ann.callTool('x_vault_echo', { message: 'hello' })).isError).to.not.equal(true);
    await eventually(() => server.streams === 2 && server.sockets > shared + 1, 'the stream of ann');
    await eventually(() => server.sockets === shared + 1, 'the stream as the only connection of ann', 10_000);
    await gateway.stop();
  });

  it('report the scopes that a call lacks', async () => {
    const { callers, as } = await start();
    callers.tokens.set('ann', 'ann-1');
    const ann = await as('ann');
    expect(await refusal(ann, 'x_vault_needs_scope')).to.include('ann must sign in');
    expect(callers.refusals[0]).to.have.property('status', 403);
    expect(callers.refusals[0]?.challenges.join()).to.include('mcp extra');
    expect(await told(ann, 'x_vault_whoami')).to.have.property('account', 'ann');
  });

  it('need no auth in their definition: a 401 suffices', async () => {
    const { callers, as, gateway, site } = await start({});
    await eventually(() => site.refusals().withoutToken > 0, 'the refusal of the shared connection');
    callers.tokens.set('ann', 'ann-1');
    const ann = await as('ann');
    expect(await told(ann, 'x_vault_whoami')).to.have.property('account', 'ann');
    const { withoutToken } = site.refusals();
    await gateway.stop();
    expect(site.refusals().withoutToken).to.equal(withoutToken);
  });

  it('are reached by as many sessions of a caller as maxInstancesPerOwner says', async () => {
    const { callers, as } = await start({ auth: { type: 'oauth' }, instances: 'perSession' });
    callers.tokens.set('ann', 'ann-1');
    for (const client of [await as('ann'), await as('ann')])
      expect(await told(client, 'x_vault_whoami')).to.have.property('account', 'ann');
    expect(await refusal(await as('ann'), 'x_vault_whoami')).to.include('you have 2 of 2 instances');
  });

  it('are known by a 401 on a connection of a session too, whatever the server answers before', async () => {
    const { callers, as } = await start({ instances: 'perSession' }, (method) => method !== 'tools/call');
    const ann = await as('ann');
    expect(await refusal(ann, 'x_vault_whoami')).to.include('core_auth_login with {"server": "vault"}');
    callers.tokens.set('ann', 'ann-1');
    callers.signedIn('ann');
    expect(await told(ann, 'x_vault_whoami')).to.have.property('account', 'ann');
  });

  it('have a subscription that meets the first 401 made on the connection of its caller, who has signed in', async () => {
    const { callers, as, site } = await start({}, (method) => method !== 'resources/subscribe');
    callers.tokens.set('ann', 'ann-1');
    const [ann, bob] = [await as('ann'), await as('bob')];
    const uri = 'guarded://anyone/notes';
    await eventually(async () => (await namesFor(ann)).includes('x_vault_whoami'), 'the shared connection');
    expect(await ann.request('resources/subscribe', { uri })).to.deep.equal({});
    expect(site.refusals()).to.deep.equal({ withoutToken: 1, withToken: 0 });
    expect(site.requestsOf('ann')).to.be.greaterThan(0);
    const refused = await bob.request('resources/subscribe', { uri }).then(JSON.stringify, String);
    expect(refused).to.include('core_auth_login with');
  });

  it('leave nothing behind when they are removed, and begin anew under their name', async () => {
    const { callers, as, gateway, site } = await start();
    callers.tokens.set('ann', 'ann-1');
    const ann = await as('ann');
    expect(await namesFor(ann)).to.include('x_vault_whoami');
    const file = join(gateway.directory, 'mcpservers/vault.yaml');
    await rm(file);
    await gateway.control.reload();
    expect(await namesFor(ann)).to.deep.equal([]);
    expect(await refusal(ann, 'x_vault_whoami')).to.include('not found');
    await writeFile(file, site.definition({ auth: { type: 'oauth' } }));
    await gateway.control.reload();
    expect(await told(ann, 'x_vault_whoami')).to.have.property('account', 'ann');
  });

  it('are read where they list a resource, though a template of a shared server would match', async () => {
    const template = { uriTemplate: 'guarded://{+path}', name: 'all' };
    const shared = {
      'tools/list': { tools: [] },
      'resources/list': { resources: [] },
      'resources/templates/list': { resourceTemplates: [template] },
      'resources/read': { contents: [{ uri: 'guarded://x', text: 'of the shared server' }] },
      'prompts/list': { prompts: [] },
    };
    const { callers, as, gateway } = await start();
    const command = [process.execPath, TOLD, JSON.stringify(shared)];
    await writeFile(
      join(gateway.directory, 'mcpservers/all.yaml'),
      JSON.stringify({ type: 'stdio', autoStart: true, command }),
    );
    await gateway.control.reload();
    callers.tokens.set('ann', 'ann-1');
    const ann = await as('ann');
    await eventually(
      async () => JSON.stringify(await ann.request('resources/templates/list')).includes('{+path}'),
      'the template',
    );
    const read = await ann.request('resources/read', { uri: 'guarded://ann/notes' });
    expect(JSON.stringify(read)).to.include('notes of ann');
  });
});
