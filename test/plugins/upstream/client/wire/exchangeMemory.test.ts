import { expect } from 'chai';
import { Exchange } from '../../../../../plugins/upstream/client/wire/exchange.ts';
import type { ExchangeOwner } from '../../../../../plugins/upstream/client/wire/exchange.ts';
import type { SocketFlow } from '../../../../../plugins/upstream/client/wire/socketFlow.ts';

const EVENT_STREAM = [Buffer.from('content-type'), Buffer.from('text/event-stream')];
const EVENTS = Buffer.from('data: {}\n\n'.repeat(12_000));

/** An exchange whose event stream the flow has paused with most of it unparsed, and what it takes of the memory. */
function paused() {
  let taken = 0;
  let goOn = (): void => undefined;
  const flow = {
    hold: () => undefined,
    letGo: () => undefined,
    took: () => false,
    goOnLater: (later: () => void) => (goOn = later),
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
  exchange.onData(EVENTS);
  return { exchange, taken: () => taken, goOn: () => goOn() };
}

describe('upstream: the memory of an exchange', () => {
  for (const [how, end] of [
    ['it is dropped', (exchange: Exchange<object>) => exchange.drop()],
    ['its connection breaks', (exchange: Exchange<object>) => exchange.onError(new Error('reset'))],
  ] as const)
    it(`is given back when ${how}, and not taken again when the flow lets it go on`, () => {
      const { exchange, taken, goOn } = paused();
      expect(taken()).above(65_536);
      end(exchange);
      expect(taken()).to.equal(0);
      goOn();
      expect(taken()).to.equal(0);
    });
});
