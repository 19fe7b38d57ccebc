import { expect } from 'chai';
import fc from 'fast-check';
import { ANYONE, definePlugin } from '../../../kernel/index.ts';
import type { JsonObject, Scope } from '../../../kernel/index.ts';
import { HttpFixture } from './httpFixture.ts';
import { Rig, until } from './support.ts';

/** All have the prefix `m`, so that equal names are own to one of them. */
const SERVERS = ['a', 'm', 'z'] as const;
type ServerName = (typeof SERVERS)[number];
const NAMES = ['one', 'two', 'three'];
/** More than are read in one turn. */
const BULK = Array.from({ length: 450 }, (_, at) => `bulk${at}`);

interface Tool {
  readonly name: string;
  readonly description: string;
}
interface State {
  readonly tools: readonly Tool[];
  readonly excluded: readonly string[];
  readonly isDefined: boolean;
}
type Model = Readonly<Record<ServerName, State>>;

const version = fc.integer({ min: 1, max: 2 });
const step = fc.record({
  server: fc.constantFrom(...SERVERS),
  change: fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ names: fc.shuffledSubarray(NAMES), version, isLarge: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ excluded: fc.subarray(NAMES, { maxLength: 1 }) }) },
    { weight: 1, arbitrary: fc.record({ isDefined: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant('renew' as const) },
  ),
  /** Whether the next change comes once this one is offered. */
  waits: fc.boolean(),
});

interface Listed {
  readonly names: readonly string[];
  readonly version: number;
  readonly isLarge: boolean;
}
function toolsOf({ names, version: at, isLarge }: Listed): readonly Tool[] {
  return [...(isLarge ? BULK : []), ...names].map((name) => ({ name, description: `version ${at}` }));
}

/** What is offered if each list is read anew. */
function rebuilt(model: Model): readonly string[] {
  const winners = new Map<string, string>();
  for (const server of ['z', 'a', 'm'] as const)
    for (const { name, description } of model[server].isDefined ? model[server].tools : [])
      winners.set(name, `x_m_${name} of ${server}, ${description}`);
  const isExcluded = (text: string): boolean =>
    SERVERS.some((one) => model[one].excluded.some((name) => text.startsWith(`x_m_${name} of ${one},`)));
  return [...winners.values()].filter((text) => !isExcluded(text)).sort();
}

describe('upstream: lists of three servers that have equal names', () => {
  const sites: Readonly<Record<ServerName, HttpFixture>> = {
    a: new HttpFixture(),
    m: new HttpFixture(),
    z: new HttpFixture(),
  };
  let rig: Rig;
  let model: Model;
  let scope: Scope<unknown>;
  const observer = definePlugin({
    name: 'asks',
    api: 1,
    configSchema: {},
    apply: (own) => void (scope = own),
  });
  const seen = (): readonly string[] =>
    rig.kernel.catalogue
      .visibleTo(ANYONE)
      .map(({ name, server, description }) => `${name} of ${server}, ${description}`)
      .sort();
  const define = (): Promise<void> => {
    const specs = SERVERS.filter((name) => model[name].isDefined).map((name): [string, JsonObject] => [
      name,
      { type: 'streamable-http', url: sites[name].url, toolPrefix: 'm', excludeTools: model[name].excluded },
    ]);
    return rig.define(Object.fromEntries(specs));
  };
  const isConnected = (name: ServerName): boolean =>
    !model[name].isDefined || (rig.status(name).state === 'connected' && sites[name].streams === 1);

  beforeEach(async () => {
    for (const name of SERVERS)
      sites[name].intercept = ({ id, method }, res) => {
        if (method !== 'tools/list') return false;
        const tools = model[name].tools.map((one) => ({ ...one, inputSchema: { type: 'object' } }));
        res.end(JSON.stringify({ jsonrpc: '2.0', id, result: { tools } }));
        return true;
      };
    for (const name of SERVERS) await sites[name].listen();
  });
  afterEach(async () => {
    for (const name of SERVERS) await sites[name].kill();
  });

  /** What events tell about the tools of a server, one after the other. */
  const told = (server: ServerName): readonly string[] => {
    const names = new Set<string>();
    for (const { server: one, added, removed, changed } of rig.told('server.toolsChanged')) {
      if (one !== server) continue;
      for (const name of removed) expect(names.delete(name), `${name} was there`).equal(true);
      for (const name of changed) expect(names.has(name), `${name} is there`).equal(true);
      for (const name of added) {
        expect(names.has(name), `${name} is new`).equal(false);
        names.add(name);
      }
    }
    return [...names].sort();
  };
  const ownNames = (server: ServerName): readonly string[] => {
    const { tools, isDefined } = model[server];
    return isDefined ? tools.map(({ name }) => `x_m_${name}`).sort() : [];
  };
  const holds = async (): Promise<void> => {
    const expected = rebuilt(model);
    await until('connections', () => SERVERS.every(isConnected), 5_000);
    const isTold = (name: ServerName): boolean => told(name).join() === ownNames(name).join();
    const isOffered = (): boolean => seen().join() === expected.join() && SERVERS.every(isTold);
    await until('the lists', isOffered, 3_000).catch(() => undefined);
    expect(seen()).deep.equal(expected);
    const { catalogue } = rig.kernel;
    for (const tool of catalogue.visibleTo(ANYONE)) expect(catalogue.find(tool.name, ANYONE)).equal(tool);
    for (const name of SERVERS) {
      const own = ownNames(name);
      expect(told(name)).deep.equal(own);
      const { collisions = [] } = model[name].isDefined ? rig.status(name).metadata : {};
      const lost = own.filter((one) => catalogueServer(one, name));
      expect([...(collisions as readonly string[])].sort()).deep.equal(lost);
    }
  };
  const catalogueServer = (name: string, server: ServerName): boolean => {
    const have = (one: ServerName): boolean =>
      model[one].isDefined && model[one].tools.some((tool) => `x_m_${tool.name}` === name);
    return (['m', 'a', 'z'] as const).find(have) !== server;
  };

  it('are offered after any changes as if they were read anew, and each change is told once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
        const first: State = { tools: [], excluded: [], isDefined: true };
        model = { a: first, m: first, z: first };
        rig = new Rig();
        try {
          await rig.configure({ listDebounceMs: 1, maxListDebounceMs: 1 }, [observer]);
          await define();
          await holds();
          for (const { server, change, waits } of steps) {
            if (change === 'renew') {
              const { catalogue } = rig.kernel;
              const before = catalogue.visibleTo(ANYONE);
              scope.emit({ type: 'pin.renewed', server });
              const after = catalogue.visibleTo(ANYONE);
              expect(after.map(({ name }) => name)).deep.equal(before.map(({ name }) => name));
              const kept = after.filter((tool, at) => tool === before[at]);
              expect(kept).deep.equal(after.filter((tool) => tool.server !== server));
            } else {
              const next = 'names' in change ? { tools: toolsOf(change) } : change;
              model = { ...model, [server]: { ...model[server], ...next } };
              if ('tools' in next)
                sites[server].push({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
              else await define();
            }
            if (waits) await holds();
          }
          await holds();
        } finally {
          await rig.stop();
        }
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });
});
