import { expect } from 'chai';
import { Cancellation } from '../../../../kernel/index.ts';
import type { Capability, JsonObject, Scope } from '../../../../kernel/index.ts';
import type { FrontConfig } from '../../../../plugins/front/config.ts';
import { ListWatch } from '../../../../plugins/front/client/listWatch.ts';
import { Outlets } from '../../../../plugins/front/client/outlets.ts';
import { Relay, SessionClient } from '../../../../plugins/front/client/relay.ts';
import { Siblings } from '../../../../plugins/front/client/siblings.ts';
import type { SiblingMessage } from '../../../../plugins/front/client/siblings.ts';
import { Channel } from '../../../../plugins/contracts/processes.ts';
import { refusalOf } from '../../../support/kernel.ts';

const SESSION = {
  id: 's1',
  handle: 'h',
  revision: '2025-11-25',
  subject: undefined,
  capabilities: {},
  createdAt: 0,
};

/** A process whose messages to others are collected. */
function processWith(hasChannel: boolean) {
  const sent: SiblingMessage[] = [];
  const channel: Channel = {
    publish: (_topic, message: JsonObject) => void sent.push(message as unknown as SiblingMessage),
    subscribe: () => () => undefined,
  };
  const scope = {
    config: { maxQuestions: 2, maxLoggingSessions: 1 },
    find: ({ id }: Capability<unknown>) => (hasChannel && id === Channel.id ? channel : undefined),
    all: () => [],
    each: () => undefined,
    onStart: () => undefined,
  } as unknown as Scope<FrontConfig>;
  const relay = new Relay(scope, new Outlets(new ListWatch(scope)), new Siblings(scope));
  const client = new SessionClient(relay, SESSION, () => false);
  const ask = (): Promise<unknown> => client.ask({ method: 'roots/list', params: '{}' }, new Cancellation());
  return { relay, sent, ask };
}

describe('front: relay of a session whose stream is not here', () => {
  it('asks on the stream of another process, which says that it has it, and takes the answer', async () => {
    const { relay, sent, ask } = processWith(true);
    const answer = ask();
    const [told] = sent;
    if (told?.kind !== 'tell') throw new Error('nothing was sent');
    expect(told.json).contain(`"id":"${told.question ?? ''}"`);
    relay.confirmed(told.question ?? '');
    relay.questions.answered('s1', told.question, { kind: 'result', json: '{}' });
    expect(await answer).deep.equal({ kind: 'result', json: '{}' });
    relay.stop();
  });

  it('withdraws a question that no process says to have sent', async () => {
    const { relay, ask } = processWith(true);
    expect(await refusalOf(ask)).include({
      code: 'TOOL_CANCELLED',
      message: 'the question was withdrawn: its client has no connection left',
    });
    relay.stop();
  });

  it('withdraws a question at once if the process is alone', async () => {
    const { sent, ask } = processWith(false);
    expect(await refusalOf(ask)).include({ code: 'TOOL_CANCELLED' });
    expect(sent).deep.equal([]);
  });
});
