import { expect } from 'chai';
import type { Client } from '../../../../kernel/index.ts';
import { clientBehind } from '../../../../plugins/upstream/rpc/askable.ts';
import { Pending } from '../../../../plugins/upstream/rpc/pending.ts';

const clientOf = (id: string): Client => ({ id }) as Client;

function callOf(id: string | undefined): Pending {
  const parts = { what: 'a call', isOwn: false, silenceMs: 1_000, totalMs: 1_000 };
  const pending = new Pending(1, '', { ...parts, settle: () => undefined, reject: () => undefined });
  pending.client = id === undefined ? undefined : clientOf(id);
  return pending;
}

describe('upstream: whom to ask', () => {
  const asked = (
    about: readonly (string | undefined)[],
    late: readonly (string | undefined)[] = [],
  ): unknown => {
    const found = clientBehind({ about: about.map(callOf), late });
    return 'code' in found ? found.code : found.id;
  };

  it('is the one client behind all calls under way', () => {
    expect(asked(['a'])).to.equal('a');
    expect(asked(['a', 'a'], ['a'])).to.equal('a');
  });

  it('is nobody without a call, and with a call of nobody among others', () => {
    for (const about of [[], [undefined], [undefined, 'a'], ['a', undefined]])
      expect(asked(about), String(about)).to.equal(-32601);
  });

  it('is nobody when it may as well be another, also one whose call was given up', () => {
    expect(asked(['a', 'b'])).to.equal(-32000);
    expect(asked(['a'], ['b'])).to.equal(-32000);
    expect(asked(['a'], [undefined])).to.equal(-32000);
  });
});
