import { expect } from 'chai';
import type { Client } from '../../../../kernel/index.ts';
import { clientBehind, notAsked } from '../../../../plugins/upstream/conversation/askable.ts';
import type { Pending } from '../../../../plugins/upstream/rpc/pending.ts';
import { pendingCall } from '../rpc/support.ts';

const clientOf = (id: string): Client => ({ id }) as Client;

function callOf(id: string | undefined): Pending {
  const pending = pendingCall();
  pending.client = id === undefined ? undefined : clientOf(id);
  return pending;
}

describe("upstream: the client that answers a server's question", () => {
  const asked = (
    about: readonly (string | undefined)[],
    late: readonly (string | undefined)[] = [],
  ): string => {
    const found = clientBehind({ about: about.map(callOf), late });
    return typeof found === 'string' ? found : found.id;
  };

  it('is the one client behind all calls under way', () => {
    expect(asked(['a'])).to.equal('a');
    expect(asked(['a', 'a'], ['a'])).to.equal('a');
  });

  it('is undefined without a call, and when one of the calls has no client', () => {
    for (const about of [[], [undefined], [undefined, 'a'], ['a', undefined]])
      expect(asked(about), String(about)).to.equal('none');
  });

  it('is undefined when several are possible, also through a call that was given up', () => {
    expect(asked(['a', 'b'])).to.equal('several');
    expect(asked(['a'], ['b'])).to.equal('several');
    expect(asked(['a'], [undefined])).to.equal('several');
  });

  it('that is missing is reported to the server with an error that a model can act on', () => {
    expect(notAsked('several', 'files', 30_000)).to.deep.equal({
      code: -32000,
      message:
        'another client is using server files, and the server does not say which of them it asks; try again in 30 s',
    });
    expect(notAsked('several', 'files', 0).message).to.match(/try again in 1 s$/);
    expect(notAsked('none', 'files', 30_000).code).to.equal(-32601);
  });
});
