import { expect } from 'chai';
import { ANYONE, definePlugin } from '../../../kernel/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import { HttpFixture } from './httpFixture.ts';
import { Rig, temporaryFolder, until } from './support.ts';

const MANY = 20_000;
/** Fewer turns of the event loop than their reading takes: one has a few hundred. */
const ENOUGH_TURNS = 40;

function toolsOf(round: number): readonly object[] {
  return Array.from({ length: MANY }, (_, at) => ({
    name: `t${at}`,
    description: at === 0 ? `round ${round}` : 'the same',
    inputSchema: { type: 'object' },
  }));
}

describe('upstream: the list of a large server', () => {
  const server = new HttpFixture();
  let rig: Rig;
  let readings: number;
  /** Turns from when the last page was sent until its tools are offered. */
  let turns: number;
  let isCounting: boolean;
  const offered = definePlugin({
    name: 'offered',
    api: 1,
    configSchema: {},
    apply: (scope) =>
      scope.tap('onEvent', ({ type }) => {
        if (type === 'server.toolsChanged') isCounting = false;
      }),
  });
  const count = (): void => {
    turns += 1;
    if (isCounting) setImmediate(count);
  };
  beforeEach(async () => {
    readings = 0;
    server.intercept = ({ id, method, params }, res) => {
      if (method !== 'tools/list') return false;
      const isLast = params?.['cursor'] === 'last';
      if (!isLast) readings += 1;
      // All but one come before, so that their arrival is not counted.
      const all = toolsOf(readings);
      const tools = isLast ? all.slice(-1) : all.slice(0, -1);
      res.end(
        JSON.stringify({ jsonrpc: '2.0', id, result: { tools, ...(!isLast && { nextCursor: 'last' }) } }),
      );
      if (!isLast) return true;
      turns = 0;
      isCounting = true;
      count();
      return true;
    };
    await server.listen();
    rig = new Rig();
  });
  afterEach(async () => {
    isCounting = false;
    await rig.stop();
    await server.kill();
  });
  const definition = (more: JsonObject = {}): JsonObject => ({
    type: 'streamable-http',
    url: server.url,
    timeout: 20,
    ...more,
  });
  const connect = async (): Promise<void> => {
    await rig.configure({ listDebounceMs: 1 }, [offered]);
    await rig.define({ s: definition() });
    await rig.reaches('s', 'connected');
  };
  const announce = async (): Promise<void> => {
    await until('the stream', () => server.streams === 1);
    server.push({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  };

  it('is taken in many turns of the event loop, and offered in one', async () => {
    await rig.configure({}, [offered]);
    const sizes = new Set<number>();
    const defined = rig.define({ s: definition() });
    await until('the last page', () => {
      sizes.add(rig.tools().length);
      return rig.status('s').state === 'connected';
    });
    await defined;
    expect(turns).above(ENOUGH_TURNS);
    expect([...sizes]).deep.equal([0, MANY]);
    expect(rig.told('server.toolsChanged')[0]?.added).length(MANY);
  });

  it('is compared in many turns when it is read again, and the change is told once', async () => {
    await connect();
    const before = rig.kernel.catalogue.visibleTo(ANYONE);
    await announce();
    await until('the change', () => rig.told('server.toolsChanged').length === 2);
    expect(readings).equal(2);
    expect(turns).above(ENOUGH_TURNS);
    const [, { added, removed, changed } = {}] = rig.told('server.toolsChanged');
    expect([added, removed, changed]).deep.equal([[], [], ['x_s_t0']]);
    expect(rig.kernel.catalogue.shared('x_s_t0')?.description).equal('round 2');
    const after = rig.kernel.catalogue.visibleTo(ANYONE);
    expect(after.map(({ name }) => name)).deep.equal(before.map(({ name }) => name));
    expect(after.filter((tool, at) => tool !== before[at])).deep.equal([
      rig.kernel.catalogue.shared('x_s_t0'),
    ]);
  });

  it('follows a definition that changes while it is read', async () => {
    await connect();
    await announce();
    await until('the second reading', () => readings === 2);
    await rig.define({ s: definition({ excludeTools: ['t1*'] }) });
    await until('the change', () => rig.told('server.toolsChanged').length > 1);
    await until('the new list', () => rig.kernel.catalogue.shared('x_s_t0')?.description === 'round 2');
    const left = rig.tools().filter((name) => name.startsWith('x_s_t1'));
    expect(left).deep.equal([]);
    expect(rig.tools()).includes('x_s_t2');
  });

  it('is kept for the next start', async () => {
    const folder = temporaryFolder();
    try {
      rig = new Rig(folder.path);
      await connect();
      await rig.stop();
      rig = new Rig(folder.path);
      server.instead = { status: 503 };
      await rig.configure();
      await rig.define({ s: definition() });
      expect(rig.tools()).length(MANY);
      expect(rig.isStale('x_s_t19999')).equal(true);
      expect(rig.kernel.catalogue.shared('x_s_t0')?.description).equal('round 1');
    } finally {
      server.instead = undefined;
      await rig.stop();
      folder.remove();
    }
  });
});
