import { expect } from 'chai';
import fc from 'fast-check';
import { ANYONE } from '../../../../kernel/index.ts';
import type { InboundRequest, KernelEvent } from '../../../../kernel/index.ts';
import { Catalogue } from '../../../../kernel/catalogue.ts';
import { createLog } from '../../../../kernel/program/createLog.ts';
import type { UpstreamConfig } from '../../../../plugins/upstream/config.ts';
import { EVERYONE } from '../../../../plugins/upstream/offer/claims.ts';
import type { Audience } from '../../../../plugins/upstream/offer/claims.ts';
import { OfferedTools } from '../../../../plugins/upstream/offer/offeredTools.ts';
import type { ToolEntry } from '../../../../plugins/upstream/offer/toolEntry.ts';

const CALLERS = ['ann', 'bob'];
const NAMES = ['one', 'two'];
/** Each caller has a list of their own at `b` and at `c`. */
const SERVERS = ['a', 'b', 'c', 'd'] as const;
type Server = (typeof SERVERS)[number];

class Bench {
  readonly catalogue = new Catalogue(
    (tool) => tool,
    (error) => {
      throw error;
    },
    () => undefined,
  );
  readonly events: KernelEvent[] = [];
  readonly #tools = new OfferedTools({
    config: () => ({ maxTombstones: 10 }) as UpstreamConfig,
    log: createLog({ level: () => 'error', format: 'json', colour: false, write: () => undefined }),
    emit: (event) => void this.events.push(event),
    table: () => this.catalogue,
  });
  readonly #audiences = new Map<string, ReadonlyMap<string, Audience>>(
    ['b', 'c'].map((server) => {
      const ofCaller = new Map<string, Audience>();
      const group = {
        audienceOf: (request?: InboundRequest) => ofCaller.get(request?.caller?.subject ?? ''),
      };
      for (const caller of CALLERS) ofCaller.set(caller, { group });
      return [server, ofCaller];
    }),
  );
  /** Entries by name that were listed last, by audience and server. */
  readonly #held = new Map<string, ReadonlyMap<string, ToolEntry>>();

  constructor() {
    this.catalogue.replace([], [], this.#tools);
  }
  list(server: Server, caller: string, names: readonly string[], isOwn = false): void {
    const audience = this.#audiences.get(server)?.get(caller) ?? EVERYONE;
    const key = this.#keyOf(server, caller);
    const next = new Map(names.map((name) => [name, entryOf(name, server, isOwn)]));
    this.#tools.replace({ audience, server }, this.#held.get(key) ?? new Map(), next);
    this.#held.set(key, next);
  }
  #keyOf(server: Server, caller: string): string {
    return this.#audiences.has(server) ? `${server} ${caller}` : server;
  }

  /** The server whose tool of that name the caller should get. */
  wanted(name: string, caller: string): string | undefined {
    const all = SERVERS.flatMap((server) => this.#held.get(this.#keyOf(server, caller))?.get(name) ?? []);
    return (all.find(({ isOwn }) => isOwn) ?? all[0])?.server;
  }
  /** The servers of the tools of that name that the caller sees. */
  seen(name: string, caller: string): readonly (string | undefined)[] {
    const tools = this.catalogue.visibleTo(requestOf(caller));
    return tools.filter((tool) => tool.name === name).map(({ server }) => server);
  }
  /** The server of the tool that a call of the caller reaches. */
  found(name: string, caller: string): string | undefined {
    return this.catalogue.find(name, requestOf(caller))?.server;
  }
}

function entryOf(name: string, server: string, isOwn: boolean): ToolEntry {
  const tool = {
    name,
    server,
    kind: 'tool' as const,
    description: '',
    inputSchema: {},
    invoke: () => expect.fail('invoked'),
  };
  return { server, isOwn, tool, own: name, text: '', excluded: undefined };
}
function requestOf(subject: string): InboundRequest {
  return { ...ANYONE, caller: { issuer: 'i', subject } };
}

describe('OfferedTools', () => {
  it('lists to each caller the winner of each name, and nothing else, in any order of arrival', () => {
    const step = fc.tuple(
      fc.constantFrom(...SERVERS),
      fc.constantFrom(...CALLERS),
      fc.subarray(NAMES),
      fc.boolean(),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const bench = new Bench();
        for (const one of steps) {
          bench.list(...one);
          for (const caller of [...CALLERS, 'cyd'])
            for (const name of NAMES) {
              const wanted = bench.wanted(name, caller);
              expect(bench.seen(name, caller)).to.deep.equal(wanted === undefined ? [] : [wanted]);
              expect(bench.found(name, caller)).to.equal(wanted);
            }
        }
        for (const server of SERVERS) for (const caller of CALLERS) bench.list(server, caller, []);
        for (const caller of CALLERS) expect(bench.catalogue.visibleTo(requestOf(caller))).to.deep.equal([]);
      }),
    );
  });

  it('is for requests without a caller too where no other tool may win', () => {
    const bench = new Bench();
    bench.list('a', '', ['one']);
    bench.list('b', 'ann', ['one']);
    expect(bench.catalogue.declared('one')?.server).to.equal('a');
  });

  it('reports a collision once, however many callers are listed the name', () => {
    const bench = new Bench();
    const collisions = (): readonly KernelEvent[] => bench.events.splice(0);
    bench.list('b', 'ann', ['one']);
    bench.list('b', 'bob', ['one']);
    expect(collisions()).to.deep.equal([]);
    bench.list('c', 'bob', ['one']);
    expect(collisions()).to.deep.equal([{ type: 'tool.collided', name: 'one', winner: 'b', loser: 'c' }]);
    bench.list('c', 'ann', ['one']);
    bench.list('b', 'ann', ['one', 'two']);
    expect(collisions()).to.deep.equal([]);
    for (const caller of CALLERS) bench.list('c', caller, []);
    bench.list('c', 'ann', ['one']);
    expect(collisions()).to.have.length(1);
  });
});
