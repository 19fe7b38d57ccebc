import { expect } from 'chai';
import { Exchange } from '../../../../../plugins/upstream/client/wire/exchange.ts';
import type { ExchangeOwner } from '../../../../../plugins/upstream/client/wire/exchange.ts';
import { collectGarbage } from '../../../../support/heap.ts';
import { flowOf } from './flow.ts';

const nothing = (): void => undefined;

/** An ended exchange, and a weak reference to its call. */
function ended(end: (exchange: Exchange<object>) => void): {
  exchange: Exchange<object>;
  about: WeakRef<object>;
} {
  const about = { load: new Array(1_000).fill(0) };
  const told: object[] = [];
  const tell = (given: object): void => void told.push(given);
  const owner: ExchangeOwner<object> = {
    maxMessageBytes: 1_000,
    maxEventIdBytes: 100,
    flow: flowOf(),
    begun: nothing,
    head: nothing,
    event: () => 0,
    answered: tell,
    streamEnded: tell,
    broken: tell,
  };
  const exchange = new Exchange<object>(owner, about);
  exchange.onConnect(nothing);
  end(exchange);
  expect(told.splice(0)).to.have.members([about]);
  return { exchange, about: new WeakRef(about) };
}

describe('upstream: an ended exchange', () => {
  const ways: Record<string, (exchange: Exchange<object>) => void> = {
    answered: (exchange) => {
      exchange.onHeaders(200, []);
      exchange.onComplete();
    },
    'a stream that ended': (exchange) => {
      exchange.onHeaders(200, [Buffer.from('content-type'), Buffer.from('text/event-stream')]);
      exchange.onComplete();
    },
    broken: (exchange) => exchange.onError(new Error('reset')),
  };
  for (const [name, end] of Object.entries(ways)) {
    it(`releases its call (${name})`, async () => {
      const { exchange, about } = ended(end);
      // A WeakRef holds its target until the end of the turn that made it.
      await new Promise(setImmediate);
      collectGarbage();
      expect(about.deref()).to.equal(undefined);
      expect(exchange).to.be.an('object');
    });
  }
});
