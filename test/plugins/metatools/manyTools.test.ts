import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Tool } from '../../../kernel/contracts/call.ts';
import { ToolSource } from '../../../kernel/contracts/decision.ts';
import type { Plugin } from '../../../kernel/contracts/plugin.ts';
import { textResult } from '../../../kernel/lib/results.ts';
import { startGateway } from '../../contract/index.ts';
import type { TestGateway } from '../../contract/index.ts';
import { moduleOf } from '../../support/gateway.ts';
import { identify } from '../../support/identify.ts';
import { pluginOf } from '../../support/kernel.ts';
import { McpClient, textOf } from '../../support/mcpClient.ts';
import { serverTool } from './board.ts';

const SERVERS = 20;
const EACH = 500;
const PAGE = 50;
/** What an answer may look at besides the tools of its page: near names, namesakes and hits, a few of each server. */
const BESIDE = 200;
const BUILT_INS = [
  'http',
  'front',
  'transport-http',
  'vault-memory',
  'metatools',
  'toolsets',
  'access',
  'deny',
];
const ACCESS = [
  { groups: ['all'], toolset: ['preset:full'] },
  { groups: ['readers'], toolset: ['preset:read-only'] },
  { groups: ['one'], toolset: ['preset:chosen'] },
];
const CHOSEN = { include: [{ server: 's3' }] };
const GROUPS = ['all', 'readers', 'one', 'one,readers'];

interface Settings {
  readonly access?: unknown;
  readonly chosen?: unknown;
  readonly denied?: readonly string[];
}

/** A gateway with tools, of which it notes those that something looks at. */
class Shop {
  readonly touched = new Set<string>();
  #gateway: TestGateway | undefined;

  async start(tools: readonly Tool[]): Promise<void> {
    const noted = tools.map((tool) => {
      const note = (): Set<string> => this.touched.add(tool.name);
      return new Proxy(tool, { get: (of, key) => (note(), Reflect.get(of, key) as unknown) });
    });
    const files = {
      'config.yaml': configOf({}),
      'identify.mjs': moduleOf(identify),
      'tools.mjs': moduleOf(pluginWith(noted)),
    };
    this.#gateway = await startGateway({ files, builtIns: BUILT_INS });
  }
  stop(): Promise<void> | undefined {
    return this.#gateway?.stop();
  }
  async set(settings: Settings): Promise<void> {
    await writeFile(join(this.#gateway?.directory ?? '', 'config.yaml'), configOf(settings));
    await this.#gateway?.control.reload();
  }
  async callerOf(groups: string, headers: Readonly<Record<string, string>> = {}): Promise<Asking> {
    const url = this.#gateway?.url() ?? '';
    const client = await McpClient.connect(url, { headers: { 'x-caller': `as ann ${groups}`, ...headers } });
    return async (name, args) => textOf(await client.callMeta(name, { ...args }));
  }
}
type Asking = (name: string, args: object) => Promise<string>;

function configOf({ access = ACCESS, chosen = CHOSEN, denied = ['x_s1_*'] }: Settings): string {
  return JSON.stringify({
    access,
    toolsetPresets: { chosen },
    plugins: {
      deny: { config: { tools: denied } },
      tools: { module: './tools.mjs' },
      'test-identify': { module: './identify.mjs' },
    },
  });
}

/** Offers tools as the plugin upstream does. */
function pluginWith(tools: readonly Tool[]): Plugin {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const source: ToolSource = {
    find: (name) => byName.get(name),
    all: () => tools,
    follow: () => () => undefined,
  };
  return pluginOf('tools', (scope) => scope.provide(ToolSource, source), { provides: [ToolSource] });
}

function toolsOf(servers: number, each: number): Tool[] {
  return Array.from({ length: servers * each }, (_, at) =>
    serverTool(`s${at % servers}`, `${at % 2 === 0 ? 'read' : 'write'}_item_${at}`, {
      annotations: { readOnlyHint: at % 2 === 0 },
      invoke: () => textResult('done'),
    }),
  );
}

describe('a gateway with 10,000 tools', function () {
  this.timeout(60_000);
  const shop = new Shop();
  before(() => shop.start(toolsOf(SERVERS, EACH)));
  after(() => shop.stop());

  for (const [groups, headers, name] of [
    ['all', {}, 'x_s4_read_item_204'],
    ['readers', {}, 'x_s4_read_item_204'],
    ['all', { 'x-service-toolset': 'preset:read-only,server:s2' }, 'x_s4_read_item_204'],
    ['one', {}, 'x_s3_write_item_203'],
  ] as const)
    it(`looks at those of an answer alone, for ${groups} with ${JSON.stringify(headers)}`, async () => {
      const ask = await shop.callerOf(groups, headers);
      const wrong = name.replace('item', 'itme');
      const own = name.replace(/^x_s\d+_/, '').toUpperCase();
      const asked: readonly (readonly [string, object])[] = [
        ['list_tools', { offset: 100 }],
        ['list_tools', { server: name.slice(2, 4) }],
        ['describe_tool', { name }],
        ['call_tool', { name }],
        ['describe_tool', { name: wrong }],
        ['call_tool', { name: wrong }],
        ['describe_tool', { name: own }],
        ['call_tool', { name: 'x_none_such' }],
        ['filter_tools', { query: 'write the item 203' }],
        ['filter_tools', { queries: ['write an item', 'read an item'] }],
      ];
      for (const one of asked) await ask(...one);
      for (const one of asked) {
        shop.touched.clear();
        await ask(...one);
        expect(shop.touched.size, JSON.stringify(one)).at.most(PAGE + BESIDE);
      }
    });

  it('shows and counts them all', async () => {
    const ask = await shop.callerOf('all');
    const answer = JSON.parse(
      await ask('list_tools', { offset: SERVERS * EACH - EACH - 1, limit: 5 }),
    ) as object;
    // Those of s1 are denied.
    expect(answer).deep.include({ total: (SERVERS - 1) * EACH, total_tools: (SERVERS - 1) * EACH });
    expect(answer).property('tools').lengthOf(1);
  });
});

describe('a list of tools that is kept', () => {
  const shop = new Shop();
  const tools = toolsOf(5, 4);
  before(() => shop.start(tools));
  after(() => shop.stop());

  /** What a caller is shown. @throws AssertionError if it is not what the caller may call */
  async function shown(ask: Asking): Promise<readonly string[]> {
    const listed = JSON.parse(await ask('list_tools', {})) as { tools: readonly { name: string }[] };
    const names = listed.tools.map(({ name }) => name);
    const called = await Promise.all(tools.map(({ name }) => ask('call_tool', { name })));
    const callable = tools.filter((_, at) => called[at] === 'done').map(({ name }) => name);
    expect([...names].sort()).deep.equal([...callable].sort());
    return names;
  }

  it('is what the caller may call, after every change of access, presets and denials', async () => {
    const callers = await Promise.all(GROUPS.map((groups) => shop.callerOf(groups)));
    const narrowed = await shop.callerOf('all', { 'x-service-toolset': 'preset:chosen' });
    const sizes = async (): Promise<readonly number[]> => {
      const all: number[] = [];
      for (const ask of [...callers, narrowed]) all.push((await shown(ask)).length);
      return all;
    };
    const first = await sizes();
    expect(first).deep.equal([16, 8, 4, 10, 4]);
    expect(await sizes()).deep.equal(first);
    await shop.set({ denied: ['*_s3_*'] });
    expect(await sizes()).deep.equal([16, 8, 0, 8, 0]);
    await shop.set({ chosen: { include: [{ server: 's0' }, { server: 's3' }] } });
    expect(await sizes()).deep.equal([16, 8, 8, 12, 8]);
    await shop.set({ access: [{ groups: ['all'], toolset: ['server:s2'] }, ...ACCESS.slice(1)] });
    expect(await sizes()).deep.equal([4, 8, 4, 10, 0]);
    await shop.set({});
    expect(await sizes()).deep.equal(first);
  });

  it('is never that of another caller', async () => {
    const [all, one] = await Promise.all([shop.callerOf('all'), shop.callerOf('one')]);
    const before = await shown(one);
    const [, again] = await Promise.all([shown(all), shown(one)]);
    expect(again).deep.equal(before);
    // As many callers as have lists of their own, and more.
    for (const { name } of tools) {
      const ask = await shop.callerOf('all', { 'x-service-toolset': `tool:${name}` });
      expect(await shown(ask)).deep.equal(name.startsWith('x_s1_') ? [] : [name]);
    }
    expect(await shown(one)).deep.equal(before);
  });
});
