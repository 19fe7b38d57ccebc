import { expect } from 'chai';
import { Exchange } from '../../../../../plugins/upstream/client/wire/exchange.ts';
import type { ExchangeOwner } from '../../../../../plugins/upstream/client/wire/exchange.ts';
import type { SocketFlow } from '../../../../../plugins/upstream/client/wire/socketFlow.ts';

const EVENT_STREAM = [Buffer.from('content-type'), Buffer.from('text/event-stream')];
const BEGUN = Buffer.from(`data: ${'x'.repeat(100_000)}`);

/** An exchange with an event that is incomplete, and what it takes of the memory. */
function begun() {
  let taken = 0;
  const flow = {
    hold: () => undefined,
    letGo: () => undefined,
    took: () => undefined,
  } as unknown as SocketFlow;
  const owner: ExchangeOwner<object> = {
    maxMessageBytes: 1_000_000,
    maxEventIdBytes: 100,
    flow,
    memory: () => ({ size: (bytes) => ((taken = bytes), true), room: () => Promise.resolve() }),
    begun: () => undefined,
    head: () => undefined,
    event: () => 1,
    answered: () => undefined,
    streamEnded: () => undefined,
    broken: () => undefined,
  };
  const exchange = new Exchange(owner, {});
  exchange.onConnect(() => undefined);
  exchange.onHeaders(200, EVENT_STREAM);
  exchange.onData(BEGUN);
  return { exchange, taken: () => taken };
}

describe('upstream: the memory of an exchange', () => {
  for (const [how, end] of [
    ['it is dropped', (exchange: Exchange<object>) => exchange.drop()],
    ['its connection breaks', (exchange: Exchange<object>) => exchange.onError(new Error('reset'))],
  ] as const)
    it(`is given back when ${how}, and not taken again when more arrives`, () => {
      const { exchange, taken } = begun();
      expect(taken()).above(65_536);
      end(exchange);
      expect(taken()).to.equal(0);
      exchange.onData(BEGUN);
      expect(taken()).to.equal(0);
    });
});
