import { expect } from 'chai';
import type { Client } from '../../../../../kernel/index.ts';
import { clientBehind, notAsked } from '../../../../../plugins/upstream/client/conversation/askable.ts';
import type { Refusal } from '../../../../../plugins/upstream/client/conversation/askable.ts';
import type { LateCall } from '../../../../../plugins/upstream/client/rpc/lateCalls.ts';
import type { Pending } from '../../../../../plugins/upstream/client/rpc/pending.ts';
import { pendingCall } from '../rpc/support.ts';

const clientOf = (id: string): Client => ({ id }) as Client;

/** A call that was given up 5 s ago, and counts for 25 s more. */
function lateOf(id: string | undefined): LateCall {
  const client = id === undefined ? undefined : clientOf(id);
  return { client, since: performance.now() - 4_500, until: performance.now() + 24_500 };
}
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
    const found = clientBehind({ about: about.map(callOf), late: late.map(lateOf) });
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

  it('that is missing is reported to the server with an error that a model can act on, and that says what still runs', () => {
    const notAskedFor = (
      about: readonly string[],
      late: readonly (string | undefined)[] = [],
      lateMs = 30_000,
    ): Refusal => {
      const said = { about: about.map(callOf), late: late.map(lateOf) };
      const who = clientBehind(said);
      return notAsked(who === 'none' ? who : 'several', 'files', { ...said, lateMs });
    };
    const whose = 'and the server does not say which of them it asks; try again in';
    expect(notAskedFor(['a', 'b'], ['a'])).to.deep.equal({
      code: -32000,
      message: `another client is using server files, ${whose} 30 s`,
    });
    expect(notAskedFor(['a', 'b'], [], 0).message).to.match(/try again in 1 s$/);
    for (const other of ['b', undefined])
      expect(notAskedFor(['a', 'a'], [other, 'a'])).to.deep.equal({
        code: -32000,
        message: `a call of another client that was cancelled 5 s ago may still run at server files, ${whose} 25 s`,
      });
    const none = 'there is no client to ask: no call of a client is running';
    expect(notAskedFor([])).to.deep.equal({ code: -32601, message: none });
    expect(notAskedFor([], ['a']).message).to.equal(`${none}; one that was cancelled 5 s ago may still run`);
  });
});
