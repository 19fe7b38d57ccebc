import { expect } from 'chai';
import fc from 'fast-check';
import { Claims, EVERYONE } from '../../../../plugins/upstream/offer/claims.ts';
import type { Claim } from '../../../../plugins/upstream/offer/claims.ts';

describe('upstream: claims to a name', () => {
  it('gives a name to the server that owns it, else to the first server by name, in any order of arrival', () => {
    const step = fc.tuple(
      fc.constantFrom('a', 'b', 'c', 'd'),
      fc.subarray(['one', 'two', 'three']),
      fc.boolean(),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (all) => {
        const claims = new Claims<Claim>();
        const held = new Map<string, ReadonlyMap<string, Claim>>();
        for (const [server, names, isOwn] of all) {
          const next = new Map(names.map((name) => [name, { server, isOwn }]));
          claims.replace({ audience: EVERYONE, server }, held.get(server)?.keys() ?? [], next);
          held.set(server, next);
        }
        for (const name of ['one', 'two', 'three']) {
          const wanted = [...held.values()].flatMap((one) => one.get(name) ?? []);
          const own = wanted.filter(({ isOwn }) => isOwn);
          const [first] = (own.length > 0 ? own : wanted).map(({ server }) => server).sort();
          expect(claims.winner(name)?.server).to.equal(first);
        }
      }),
    );
  });

  it('names in a collision the server that has the name and those that do not', () => {
    const claims = new Claims<Claim>();
    claims.replace(
      { audience: EVERYONE, server: 'good' },
      [],
      new Map([['n', { server: 'good', isOwn: true }]]),
    );
    const collisions = (server: string, isOwn: boolean) =>
      claims.collisions({ audience: EVERYONE, server }, new Map([['n', { server, isOwn }]]));
    expect(collisions('aaa', false)).to.deep.equal([{ name: 'n', winner: 'good', loser: 'aaa' }]);
    expect(collisions('aaa', true)).to.deep.equal([{ name: 'n', winner: 'aaa', loser: 'good' }]);
    expect(collisions('good', true)).to.deep.equal([]);
  });
});
