import { expect } from 'chai';
import fc from 'fast-check';
import { NOTHING_LISTED } from '../../../../plugins/upstream/client/conversation/listing.ts';
import type { Listing } from '../../../../plugins/upstream/client/conversation/listing.ts';
import { OwnLists } from '../../../../plugins/upstream/own/ownLists.ts';

const OWNERS = ['ann', 'bob', 'eve'];
const TOOLS = ['one', 'another', 'a third'];

function listingOf(tool: string): Listing {
  return { ...NOTHING_LISTED, tools: [{ name: tool, inputSchema: {} }] };
}

describe('the lists that a server has for owners', () => {
  it('are known and counted once for all owners that have them, and no longer than one has them', () => {
    const step = fc.record({
      owner: fc.constantFrom(...OWNERS),
      does: fc.constantFrom('set', 'recall', 'forget'),
      tool: fc.constantFrom(...TOOLS),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const lists = new OwnLists();
        const ids = new Set<string>();
        for (const { owner, does, tool } of steps) {
          if (does === 'set') lists.set(owner, listingOf(tool), undefined);
          else if (does === 'recall') lists.recall(owner, { listing: listingOf(tool), facts: undefined });
          else lists.forget(owner);
          for (const one of OWNERS) ids.add(lists.of(one)?.id ?? '');
        }
        const held = new Set(OWNERS.flatMap((owner) => lists.of(owner) ?? []));
        expect(lists.bytes).to.equal([...held].reduce((sum, { bytes }) => sum + bytes, 0));
        const known = [...ids].flatMap((id) => lists.known(id) ?? []);
        expect(known).to.have.members([...held]);
      }),
    );
  });

  it('are equal objects where they are equal', () => {
    const lists = new OwnLists();
    for (const owner of OWNERS) lists.set(owner, listingOf('one'), undefined);
    expect(new Set(OWNERS.map((owner) => lists.of(owner))).size).to.equal(1);
  });
});
