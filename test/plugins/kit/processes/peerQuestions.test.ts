import { expect } from 'chai';
import type { Scope } from '../../../../kernel/index.ts';
import { Channel } from '../../../../plugins/contracts/processes.ts';
import { PeerQuestions } from '../../../../plugins/kit/processes/peerQuestions.ts';
import { FakeBus } from '../../../support/fakeBus.ts';
import { captureLog } from '../../../support/log.ts';

describe('kit: questions to another process', () => {
  const questionsOf = (scope: object, answer = () => ({})): PeerQuestions =>
    new PeerQuestions(scope as Scope<unknown>, { topic: 'test', answer });

  it('that fail there are logged there', async () => {
    const bus = new FakeBus();
    const log = captureLog();
    questionsOf({ ...bus.scopeOf('b'), log }, () => {
      throw new Error('broken');
    });
    const [channel] = bus.scopeOf('a').all(Channel) as readonly Channel[];
    channel?.publish('test', { kind: 'question', id: '1', to: 'b', question: {} });
    const { data } = await log.heard('is not answered');
    expect(String(data['error'])).include('broken');
  });

  it('are refused where nothing tells whether it has ended', async () => {
    const alone = { find: () => undefined, each: () => undefined };
    const refused = await questionsOf(alone)
      .ask('b', {})
      .catch((error: unknown) => error);
    expect(refused).include({ code: 'STORE_UNREACHABLE' });
  });
});
