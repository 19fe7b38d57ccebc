import { expect } from 'chai';
import { ANYONE } from '../../../../kernel/index.ts';
import type { InboundRequest } from '../../../../kernel/index.ts';
import { Catalogue } from '../../../../kernel/catalogue.ts';
import { createLog } from '../../../../kernel/program/createLog.ts';
import type { UpstreamConfig } from '../../../../plugins/upstream/config.ts';
import { NOTHING_LISTED } from '../../../../plugins/upstream/client/conversation/listing.ts';
import { Offers } from '../../../../plugins/upstream/offer/offers.ts';
import { OwnLists } from '../../../../plugins/upstream/own/ownLists.ts';
import type { Personal } from '../../../../plugins/upstream/own/personal.ts';
import type { Server } from '../../../../plugins/upstream/server/server.ts';

const MAX_OWNERS = 20_000;

function requestOf(owner?: string): InboundRequest {
  return { ...ANYONE, ...(owner !== undefined && { caller: { issuer: 'i', subject: owner } }) };
}

/** Servers `a` and `b`, of one family, which callers sign in to; the owner of a credential is the subject. */
class Bench {
  readonly catalogue = new Catalogue(
    (tool) => tool,
    (error) => {
      throw error;
    },
    () => undefined,
  );
  /** How often the list of an owner was looked up. */
  lookUps = 0;
  readonly #lists = new Map([
    ['a', new OwnLists()],
    ['b', new OwnLists()],
  ]);
  readonly #servers = new Map([...this.#lists.keys()].map((name) => [name, serverNamed(name)]));
  readonly #offers = new Offers({
    config: () => ({ servicePrefix: 'x', maxNameChars: 64, maxTombstones: 10 }) as UpstreamConfig,
    log: createLog({ level: () => 'error', format: 'json', colour: false, write: () => undefined }),
    emit: () => undefined,
    table: () => this.catalogue,
    servers: () => [],
    personal: (name) => this.#personalOf(name),
  });

  constructor() {
    this.catalogue.replace([], [], this.#offers);
    this.update();
  }
  /** What the servers list to anyone has changed. */
  update(): void {
    for (const server of this.#servers.values()) this.#offers.update(server);
  }

  list(server: string, owner: string, tool: string): void {
    this.listEarly(server, owner, tool);
    this.#offers.update(this.#servers.get(server)!, owner);
  }
  /** Lists a tool before the owner's first request. */
  listEarly(server: string, owner: string, tool: string): void {
    const tools = [{ name: tool, inputSchema: {} }];
    this.#lists.get(server)?.set(owner, { ...NOTHING_LISTED, tools }, undefined);
  }

  /** The names of the tools that a request sees. @param owner absent: it uses no credential */
  request(owner?: string): readonly string[] {
    // As CallersServers does.
    if (owner !== undefined) this.#offers.prepare(requestOf(owner));
    return this.seen(owner);
  }
  /** What is kept for a request: nothing is prepared for it. */
  seen(owner?: string): readonly string[] {
    return this.catalogue.visibleTo(requestOf(owner)).map(({ name }) => name);
  }

  #personalOf(name: string): Personal {
    const personal: Pick<Personal, 'isPersonal' | 'credentialOf' | 'listOf' | 'isListed'> = {
      isPersonal: true,
      credentialOf: ({ caller }: InboundRequest) =>
        caller && ({ owner: caller.subject } as ReturnType<Personal['credentialOf']>),
      listOf: (owner) => {
        this.lookUps += 1;
        return this.#lists.get(name)?.of(owner);
      },
      isListed: (list) => this.#lists.get(name)?.known(list.id) === list,
    };
    return personal as Personal;
  }
}

function serverNamed(name: string): Server {
  const definition = { family: { name: 'f', instanceArg: 'which' }, excludeTools: [] };
  const tools = [{ name: 'open', inputSchema: {} }];
  const listing = { ...NOTHING_LISTED, tools };
  return { name, definition, listing, isWanted: true, isStale: false } as unknown as Server;
}

describe('Offers of a family that callers sign in to', () => {
  it('offers what was listed to an owner, and to others what is listed to anyone', () => {
    const bench = new Bench();
    expect(bench.request('ann')).to.deep.equal(['x_f_open']);
    bench.list('a', 'ann', 'own');
    expect(bench.request('ann')).to.deep.equal(['x_f_open', 'x_f_own']);
    expect(bench.request('bob')).to.deep.equal(['x_f_open']);
    expect(bench.request()).to.deep.equal(['x_f_open']);
  });

  it('keeps the offer to anyone, however many owners there are', () => {
    const bench = new Bench();
    for (let at = 0; at < MAX_OWNERS + 1; at += 1) {
      bench.listEarly('a', `owner ${at}`, 'own');
      bench.request(`owner ${at}`);
    }
    bench.update();
    expect(bench.request()).to.deep.equal(['x_f_open']);
  });

  it('looks at the lists of one owner when those change, not at those of all', () => {
    const bench = new Bench();
    for (let at = 0; at < 100; at += 1) bench.request(`owner ${at}`);
    bench.lookUps = 0;
    bench.list('a', 'owner 7', 'own');
    expect(bench.lookUps).to.be.at.most(10);
    expect(bench.request('owner 7')).to.include('x_f_own');
  });
});
