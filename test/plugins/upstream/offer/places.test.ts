import { expect } from 'chai';
import fc from 'fast-check';
import { Claims, EVERYONE } from '../../../../plugins/upstream/offer/claims.ts';
import type { Claim } from '../../../../plugins/upstream/offer/claims.ts';
import { Places } from '../../../../plugins/upstream/offer/places.ts';

const NAMES = ['one', 'two'];
const SERVERS = ['a', 'b', 'c'];

class Bench {
  readonly places = new Places();
  readonly claims = new Claims<Claim>(this.places);
  readonly #held = new Map<string, ReadonlyMap<string, Claim>>();

  list(server: string, names: readonly string[], isOwn = false): void {
    const next = new Map(names.map((name) => [name, { server, isOwn }]));
    this.claims.replace({ audience: EVERYONE, server }, this.#held.get(server)?.keys() ?? [], next);
    this.#held.set(server, next);
  }
  end(server: string): void {
    this.list(server, []);
    this.places.release(server);
  }
  winner(name: string): string | undefined {
    return this.claims.winner(name)?.server;
  }
}

describe('Places', () => {
  it('keep a name with its holder until that no longer lists it, whatever the others do', () => {
    const step = fc.tuple(fc.constantFrom(...SERVERS), fc.subarray(NAMES), fc.boolean());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const bench = new Bench();
        for (const [server, names, ends] of steps) {
          const before = NAMES.map((name) => bench.winner(name));
          if (ends) bench.end(server);
          else bench.list(server, names);
          NAMES.forEach((name, at) => {
            const holder = before[at];
            const isLeft = holder === server && (ends || !names.includes(name));
            const isBack = holder !== server && bench.winner(name) === server;
            if (holder === undefined || isLeft) return;
            // Only one that had the name earlier, and has not ended since, may take it back.
            if (!isBack) expect(bench.winner(name)).equal(holder);
            else expect(bench.places.of(name, server)).below(bench.places.of(name, holder));
          });
        }
        for (const server of SERVERS) bench.end(server);
        expect(NAMES.map((name) => bench.winner(name))).deep.equal([undefined, undefined]);
      }),
    );
  });

  it('are kept by a server that does not list the name for a while, as long as another has it', () => {
    const bench = new Bench();
    bench.list('b', NAMES);
    bench.list('a', ['one']);
    bench.list('b', []);
    expect(bench.winner('one')).equal('a');
    bench.list('a', NAMES);
    bench.list('b', NAMES);
    expect(NAMES.map((name) => bench.winner(name))).deep.equal(['b', 'a']);
  });

  it('are lost by a server that has ended', () => {
    const bench = new Bench();
    bench.list('b', NAMES);
    bench.list('a', NAMES);
    bench.end('b');
    bench.list('b', NAMES);
    expect(bench.winner('one')).equal('a');
  });

  it('do not matter to a server whose own name it is', () => {
    const bench = new Bench();
    bench.list('b', NAMES);
    bench.list('a', NAMES, true);
    expect(bench.winner('one')).equal('a');
  });
});
