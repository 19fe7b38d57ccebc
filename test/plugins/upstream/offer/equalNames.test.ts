import { expect } from 'chai';
import fc from 'fast-check';
import { ANYONE } from '../../../../kernel/index.ts';
import type { InboundRequest, KernelEvent } from '../../../../kernel/index.ts';
import { Catalogue } from '../../../../kernel/catalogue.ts';
import { createLog } from '../../../../kernel/program/createLog.ts';
import { NOTHING_LISTED } from '../../../../plugins/upstream/client/conversation/listing.ts';
import type { UpstreamConfig } from '../../../../plugins/upstream/config.ts';
import { Offers } from '../../../../plugins/upstream/offer/offers.ts';
import { OwnLists } from '../../../../plugins/upstream/own/ownLists.ts';
import type { Personal } from '../../../../plugins/upstream/own/personal.ts';
import { toolOf } from '../../../support/kernel.ts';
import type { Server } from '../../../../plugins/upstream/server/server.ts';

const CALLERS = ['ann', 'bob'];
const NAMES = ['one', 'two'];
/** All have the prefix `m`, so that it is own to one of them. */
const SERVERS = ['a', 'b', 'c', 'm', 'z'] as const;
type ServerName = (typeof SERVERS)[number];
/** Each caller has a list of their own there. */
const PERSONAL: readonly ServerName[] = ['b', 'm'];

class Bench {
  readonly catalogue = new Catalogue(
    (tool) => tool,
    (error) => {
      throw error;
    },
    () => undefined,
  );
  /** How often the table was asked about a name, or how current it is. */
  lookUps = 0;
  readonly #events: KernelEvent[] = [];
  readonly #offers = new Offers({
    config: () =>
      ({ servicePrefix: 'x', maxNameChars: 64, maxUriChars: 100, maxTombstones: 10 }) as UpstreamConfig,
    log: createLog({ level: () => 'error', format: 'json', colour: false, write: () => undefined }),
    emit: (event) => void this.#events.push(event),
    table: () => ((this.lookUps += 1), this.catalogue),
    servers: () => [],
    personal: (name) => this.#personalOf(name as ServerName),
  });
  readonly #servers = new Map(SERVERS.map((name) => [name, serverNamed(name)]));
  readonly #lists = new Map(PERSONAL.map((name) => [name, new OwnLists()]));
  /** Names that were listed last, by server and caller. */
  readonly #held = new Map<string, readonly string[]>();

  constructor() {
    this.catalogue.replace([], [], this.#offers);
    for (const server of this.#servers.values()) this.#offers.update(server);
  }
  /** Lists tools, at some servers to that caller alone. */
  list(name: ServerName, caller: string, names: readonly string[]): void {
    const listing = { ...NOTHING_LISTED, tools: names.map((tool) => ({ name: tool, inputSchema: {} })) };
    const lists = this.#lists.get(name);
    this.#held.set(lists === undefined ? name : `${name} ${caller}`, names);
    if (lists === undefined) this.#relist(name, listing);
    else if (lists.set(caller, listing, undefined)) this.#offers.update(this.#servers.get(name)!, caller);
    for (const one of CALLERS) this.#offers.prepare(requestOf(one));
  }
  listResources(name: ServerName, names: readonly string[], isWanted = true): void {
    const resources = names.map((one) => ({ uri: `r://${one}`, name }));
    Object.assign(this.#servers.get(name)!, { isWanted });
    this.#relist(name, { ...NOTHING_LISTED, resources });
  }
  #relist(name: ServerName, listing: Server['listing']): void {
    Object.assign(this.#servers.get(name)!, { listing });
    this.#offers.update(this.#servers.get(name)!);
  }

  /** The server whose tool of that name the caller should get. */
  wanted(name: string, caller: string): string | undefined {
    const have = (one: ServerName): boolean =>
      this.#held.get(PERSONAL.includes(one) ? `${one} ${caller}` : one)?.includes(name) === true;
    return have('m') ? 'm' : SERVERS.find(have);
  }
  /** The servers of the tools of that name that the caller sees. */
  seen(name: string, caller: string): readonly (string | undefined)[] {
    const tools = this.catalogue.visibleTo(requestOf(caller));
    return tools.filter((tool) => tool.name === `x_m_${name}`).map(({ server }) => server);
  }
  /** The server of the tool that a call of the caller reaches. */
  found(name: string, caller: string): string | undefined {
    return this.catalogue.find(`x_m_${name}`, requestOf(caller))?.server;
  }
  /** How many of its tools a server that lists the same to all offers to all, and the names that it lost. */
  reported(name: ServerName): readonly [count: number, lost: readonly string[]] {
    const { count, collisions, names } = this.#offers.report(name);
    expect(names()).lengthOf(count);
    return [count, [...collisions].sort()];
  }
  wantedReport(name: ServerName): readonly [count: number, lost: readonly string[]] {
    const held = this.#held.get(name) ?? [];
    const shared = SERVERS.filter((one) => !PERSONAL.includes(one));
    const winner = (own: string): unknown =>
      shared.find((one) => this.#held.get(one)?.includes(own) === true);
    const lost = held.filter((own) => winner(own) !== name);
    return [held.length - lost.length, lost.map((own) => `x_m_${own}`).sort()];
  }
  /** The server whose resource of that name is listed. */
  resource(name: string): unknown {
    return this.#offers.sources.resources(ANYONE).find(({ uri }) => uri === `r://${name}`)?.['name'];
  }
  /** Those that were reported since the last question. */
  collisions(): readonly unknown[] {
    return this.#events.splice(0).filter(({ type }) => type === 'tool.collided');
  }

  #personalOf(name: ServerName): Personal {
    const lists = this.#lists.get(name);
    const personal: Pick<Personal, 'isPersonal' | 'credentialOf' | 'listOf' | 'isListed'> = {
      isPersonal: lists !== undefined,
      credentialOf: ({ caller }) =>
        caller && ({ owner: caller.subject } as ReturnType<Personal['credentialOf']>),
      listOf: (owner) => lists?.of(owner),
      isListed: (list) => lists?.known(list.id) === list,
    };
    return personal as Personal;
  }
}

function serverNamed(name: string): Server {
  const definition = { toolPrefix: 'm', excludeTools: [] };
  return { name, definition, listing: NOTHING_LISTED, isWanted: true, isStale: false } as unknown as Server;
}
function requestOf(subject: string): InboundRequest {
  return { ...ANYONE, caller: { issuer: 'i', subject } };
}

describe('Offers of servers that have equal names', () => {
  it('list to each caller the winner of each name, and nothing else, in any order of arrival', () => {
    const step = fc.tuple(fc.constantFrom(...SERVERS), fc.constantFrom(...CALLERS), fc.subarray(NAMES));
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
          for (const server of ['a', 'c', 'z'] as const)
            expect(bench.reported(server)).to.deep.equal(bench.wantedReport(server));
        }
        for (const server of SERVERS) for (const caller of CALLERS) bench.list(server, caller, []);
        for (const caller of CALLERS) expect(bench.catalogue.visibleTo(requestOf(caller))).to.deep.equal([]);
      }),
    );
  });

  it('are for requests without a caller too where no other tool may win', () => {
    const bench = new Bench();
    bench.list('a', '', ['one']);
    bench.list('b', 'ann', ['one']);
    expect(bench.catalogue.shared('x_m_one')?.server).to.equal('a');
  });

  it('are looked at for one report, not for each, until something changes', () => {
    const bench = new Bench();
    bench.list('a', '', ['one']);
    bench.list('c', '', NAMES);
    expect(bench.reported('c')).to.deep.equal([1, ['x_m_one']]);
    const { lookUps } = bench;
    expect(bench.reported('c')).to.deep.equal([1, ['x_m_one']]);
    expect(bench.lookUps - lookUps).to.equal(1);
    bench.catalogue.add('p', toolOf('x_m_two', { kind: 'core' }));
    expect(bench.reported('c')).to.deep.equal([0, ['x_m_one', 'x_m_two']]);
    bench.list('a', '', []);
    expect(bench.reported('c')).to.deep.equal([1, ['x_m_two']]);
  });

  it('report a collision once, however many callers are listed the name', () => {
    const bench = new Bench();
    bench.list('b', 'ann', ['one']);
    bench.list('b', 'bob', ['one']);
    expect(bench.collisions()).to.deep.equal([]);
    bench.list('m', 'bob', ['one']);
    const told = { type: 'tool.collided', name: 'x_m_one', winner: 'm', loser: 'b' };
    expect(bench.collisions()).to.deep.equal([told]);
    bench.list('m', 'ann', ['one']);
    bench.list('b', 'ann', ['one', 'two']);
    expect(bench.collisions()).to.deep.equal([]);
    for (const caller of CALLERS) bench.list('m', caller, []);
    bench.list('m', 'ann', ['one']);
    expect(bench.collisions()).to.deep.equal([told]);
  });

  it('keep a uri with the first that has it, also while that does not list it, until it ends or none has it', () => {
    const step = fc.tuple(fc.constantFrom('a', 'c', 'z'), fc.subarray(NAMES), fc.boolean());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const bench = new Bench();
        const listed = new Map<string, readonly string[]>();
        const order = new Map<string, readonly string[]>(NAMES.map((name) => [name, []]));
        for (const [server, names, isWanted] of steps) {
          bench.listResources(server, names, isWanted);
          listed.set(server, isWanted ? names : []);
          for (const name of NAMES) {
            const has = (one: string): boolean => listed.get(one)?.includes(name) === true;
            const former = (order.get(name) ?? []).filter((one) => isWanted || one !== server);
            const next = has(server) && !former.includes(server) ? [...former, server] : former;
            order.set(name, next.some(has) ? next : []);
            expect(bench.resource(name)).to.equal(next.find(has));
          }
        }
      }),
    );
  });
});
