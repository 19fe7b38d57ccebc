import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { eventually, mcpClient, startGateway } from '../../contract/index.ts';
import type { McpClient, TestGateway } from '../../contract/index.ts';
import { definePlugin } from '../../../kernel/index.ts';
import type { KernelEvent } from '../../../kernel/index.ts';
import { GuardedServers } from '../../../plugins/contracts/credentials.ts';
import { defer } from '../../support/cleanup.ts';
import { moduleOf } from '../../support/gateway.ts';
import { startGuardedSite } from '../../support/guardedSite.ts';
import type { GuardedSite } from '../../support/guardedSite.ts';
import { identify } from '../../support/identify.ts';
import type { ServerIssuer } from '../../support/serverIssuer.ts';
import { ROOT } from '../../support/sources.ts';
import { Callers } from './callersOf.ts';

const TOLD = fileURLToPath(new URL('test/plugins/upstream/fixtures/told.mjs', `file://${ROOT}/`));
const NAME = 'x_team_whoami';
const URI = 'guarded://ann/notes';
const PROMPT = 'x_team_greet_ann';

/** `one`, `two`: servers that callers sign in to; `about`, `zoo`: servers for all. Each offers the same under the prefix `team`. */
type Server = 'about' | 'one' | 'two' | 'zoo';

interface Started {
  readonly gateway: TestGateway;
  readonly sites: Readonly<Record<string, GuardedSite>>;
  readonly collisions: () => readonly object[];
  readonly as: (subject: string) => Promise<McpClient>;
  readonly signIn: (subject: string, server: Server) => Promise<void>;
  readonly signOut: (subject: string, server: Server) => Promise<void>;
}

async function start(...servers: readonly Server[]): Promise<Started> {
  const callers = new Callers();
  const events: KernelEvent[] = [];
  const observer = definePlugin({
    name: 'test-observer',
    api: 1,
    configSchema: { type: 'object' },
    apply: (scope) => scope.tap('onEvent', (event) => void events.push(event)),
  });
  const sites: Record<string, GuardedSite> = {};
  const files: Record<string, string> = {};
  for (const server of servers) {
    const isShared = server === 'about' || server === 'zoo';
    if (!isShared) sites[server] = await startGuardedSite({ issuer });
    files[`mcpservers/${server}.yaml`] = isShared
      ? definitionFor(server)
      : sites[server]!.definition({ toolPrefix: 'team', auth: { type: 'oauth' } });
  }
  const gateway = await startGateway({
    files: {
      ...files,
      'config.yaml': JSON.stringify({
        plugins: {
          'auth-client': false,
          'test-identify': { module: './identify.mjs' },
          'test-callers': { module: './callers.mjs' },
          'test-observer': { module: './observer.mjs' },
        },
      }),
      'identify.mjs': moduleOf(identify),
      'callers.mjs': moduleOf(callers.plugin),
      'observer.mjs': moduleOf(observer),
    },
  });
  defer(() => gateway.stop());
  const guarded = (server: Server) => gateway.get(GuardedServers).get(server)!;
  const known = new Map<string, McpClient>();
  return {
    gateway,
    sites,
    collisions: () =>
      events.flatMap((event) => {
        if (event.type !== 'tool.collided' || ![NAME, URI, PROMPT].includes(event.name)) return [];
        const { what = 'tools', name, winner, loser } = event;
        return [{ what, name, winner, loser }];
      }),
    as: async (subject) => {
      const client = known.get(subject) ?? (await mcpClient(gateway.url(), { 'x-caller': `i ${subject}` }));
      known.set(subject, client);
      return client;
    },
    signIn: async (subject, server) => {
      callers.tokens.set(subject, subject);
      await guarded(server).connect(callers.credentialOf(subject, server));
    },
    signOut: (subject, server) => guarded(server).disconnect(subject, true),
  };
}

/** Every token is the name of its account. */
const issuer = {
  issuer: 'http://127.0.0.1:1',
  protect: () => undefined,
  check: (account: string) => Promise.resolve({ account, scopes: ['mcp'] }),
} as unknown as ServerIssuer;

function definitionFor(server: string): string {
  const results = {
    'tools/list': { tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: `answer of ${server}` }] },
    'resources/list': { resources: [{ uri: URI, name: 'notes' }] },
    'resources/read': { contents: [{ uri: URI, text: `answer of ${server}` }] },
    'prompts/list': { prompts: [{ name: 'greet_ann' }] },
    'prompts/get': {
      messages: [{ role: 'user', content: { type: 'text', text: `answer of ${server}` } }],
    },
  };
  const command = [process.execPath, TOLD, JSON.stringify(results)];
  return JSON.stringify({ type: 'stdio', autoStart: true, toolPrefix: 'team', command });
}

/** The servers whose tools of that name are listed. */
async function offering(client: McpClient): Promise<readonly (string | undefined)[]> {
  const { content } = await client.callMeta('list_tools', { limit: 500 });
  const { tools } = JSON.parse(String(content[0]?.['text'])) as {
    tools: { name: string; server?: string }[];
  };
  return tools.filter(({ name }) => name === NAME).map(({ server }) => server);
}

/** The server that a call reaches. */
async function reached(client: McpClient, sites: Started['sites']): Promise<string | undefined> {
  const counts = (): readonly (readonly [string, number])[] =>
    Object.entries(sites).map(([name, site]) => [name, site.requestsOf('ann') + site.requestsOf('bob')]);
  const before = new Map(counts());
  const { content } = await client.callTool(NAME);
  const text = String(content[0]?.['text']);
  if (text.startsWith('answer of ')) return text.slice('answer of '.length);
  return counts().find(([name, count]) => count > (before.get(name) ?? 0))?.[0];
}

/** The servers that have the uri and the prompt, found by what they answer. */
async function answering(client: McpClient): Promise<object> {
  const { resources } = await client.request('resources/list');
  const { prompts } = await client.request('prompts/list');
  const uris = (resources as { uri: string }[]).filter(({ uri }) => uri === URI);
  const names = (prompts as { name: string }[]).filter(({ name }) => name === PROMPT);
  const answers = [
    await client.request('resources/read', { uri: URI }),
    await client.request('prompts/get', { name: PROMPT }),
  ].map((answer) => /answer of (\w+)/.exec(JSON.stringify(answer))?.[1] ?? 'own');
  return { listed: [uris.length, names.length], answers };
}

async function collisionsFor(client: McpClient, name: Server): Promise<unknown> {
  const { content } = await client.callTool('core_service_status', { name });
  const { metadata } = JSON.parse(String(content[0]?.['text'])) as { metadata: Record<string, unknown> };
  return metadata['collisions'];
}

describe('upstream: equal names of servers that callers sign in to', () => {
  for (const order of [
    ['one', 'two'],
    ['two', 'one'],
  ] as const)
    it(`are one tool for each caller, that of the first server by name (sign-in at ${order.join(', then ')})`, async () => {
      const { as, signIn, signOut, sites, collisions } = await start('one', 'two');
      const [ann, bob] = [await as('ann'), await as('bob')];
      expect(await offering(ann)).to.deep.equal([]);
      await signIn('bob', 'two');
      for (const server of order) {
        await signIn('ann', server);
        expect(await offering(ann), server).to.have.length(1);
      }
      expect(await offering(ann)).to.deep.equal(['one']);
      expect(await reached(ann, sites)).to.equal('one');
      expect(await offering(bob)).to.deep.equal(['two']);
      expect(await reached(bob, sites)).to.equal('two');
      expect(await collisionsFor(ann, 'two')).to.include(NAME);
      expect(await collisionsFor(ann, 'one')).to.equal(undefined);
      expect(await collisionsFor(bob, 'two')).to.equal(undefined);
      // Of resources and prompts, the first to list them.
      const [winner, loser] = order;
      const told = { winner, loser };
      expect(collisions()).to.have.deep.members([
        { what: 'tools', name: NAME, winner: 'one', loser: 'two' },
        { what: 'resources', name: URI, ...told },
        { what: 'prompts', name: PROMPT, ...told },
      ]);
      await signOut('ann', 'one');
      expect(await offering(ann)).to.deep.equal(['two']);
      expect(await reached(ann, sites)).to.equal('two');
      expect(await collisionsFor(ann, 'two')).to.equal(undefined);
    });

  it('keep a caller from a tool of a server for all that has the better right', async () => {
    const { as, signIn, sites, collisions, gateway } = await start('one', 'about');
    const ann = await as('ann');
    await eventually(async () => (await offering(ann)).length > 0, 'the tool for all');
    await signIn('ann', 'one');
    expect(await offering(ann)).to.deep.equal(['about']);
    expect(await reached(ann, sites)).to.equal('about');
    expect(await collisionsFor(ann, 'one')).to.include(NAME);
    expect(collisions()).to.deep.include({ what: 'tools', name: NAME, winner: 'about', loser: 'one' });
    await rm(join(gateway.directory, 'mcpservers/about.yaml'));
    await gateway.control.reload();
    expect(await offering(ann)).to.deep.equal(['one']);
    expect(await reached(ann, sites)).to.equal('one');
    expect(await offering(await as('cyd'))).to.deep.equal([]);
  });

  it('replace a tool for all where their server has the better right, for their callers only', async () => {
    const { as, signIn, signOut, sites, collisions } = await start('one', 'zoo');
    const [ann, cyd] = [await as('ann'), await as('cyd')];
    await eventually(async () => (await offering(ann)).length > 0, 'the tool for all');
    await signIn('ann', 'one');
    expect(await offering(ann)).to.deep.equal(['one']);
    expect(await reached(ann, sites)).to.equal('one');
    expect(await offering(cyd)).to.deep.equal(['zoo']);
    expect(await reached(cyd, sites)).to.equal('zoo');
    expect(await collisionsFor(ann, 'zoo')).to.deep.equal([NAME]);
    expect(await collisionsFor(cyd, 'zoo')).to.equal(undefined);
    expect(collisions()).to.deep.include({ what: 'tools', name: NAME, winner: 'one', loser: 'zoo' });
    await signOut('ann', 'one');
    expect(await offering(ann)).to.deep.equal(['zoo']);
    expect(await reached(ann, sites)).to.equal('zoo');
  });

  it('are decided alike in any order of arrival, with several servers for all', async () => {
    const { as, signIn, signOut, sites, gateway } = await start('one', 'zoo', 'about');
    const ann = await as('ann');
    await signIn('ann', 'one');
    await eventually(async () => (await offering(ann))[0] === 'about', 'the tool of the first by name');
    expect(await offering(ann)).to.deep.equal(['about']);
    await rm(join(gateway.directory, 'mcpservers/about.yaml'));
    await gateway.control.reload();
    expect(await offering(ann)).to.deep.equal(['one']);
    await signOut('ann', 'one');
    await eventually(async () => (await offering(ann))[0] === 'zoo', 'the tool of the last by name');
    expect(await reached(ann, sites)).to.equal('zoo');
  });

  for (const shared of ['about', 'zoo'] as const)
    it(`are one resource and one prompt, those of ${shared}, which had them first`, async () => {
      const { as, signIn, collisions, gateway } = await start('one', shared);
      const [ann, cyd] = [await as('ann'), await as('cyd')];
      const listed = [1, 1];
      const ofShared = { listed, answers: [shared, shared] };
      await eventually(async () => (await offering(ann)).length > 0, 'the lists for all');
      expect(await answering(ann)).to.deep.equal(ofShared);
      await signIn('ann', 'one');
      for (const caller of [ann, cyd]) expect(await answering(caller)).to.deep.equal(ofShared);
      expect(collisions()).to.deep.include.members([
        { what: 'resources', name: URI, winner: shared, loser: 'one' },
        { what: 'prompts', name: PROMPT, winner: shared, loser: 'one' },
      ]);
      await rm(join(gateway.directory, `mcpservers/${shared}.yaml`));
      await gateway.control.reload();
      expect(await answering(ann)).to.deep.equal({ listed, answers: ['own', 'own'] });
    });
});
