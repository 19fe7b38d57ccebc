import { Socket } from 'node:net';
import { constants, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Exchange } from '../../../../../plugins/upstream/client/wire/exchange.ts';
import type { ExchangeOwner } from '../../../../../plugins/upstream/client/wire/exchange.ts';
import type { SocketFlow } from '../../../../../plugins/upstream/client/wire/socketFlow.ts';
import { until } from '../../support.ts';

const head = (type: string, encoding = 'gzip'): Buffer[] =>
  ['content-type', type, 'content-encoding', encoding].map((text) => Buffer.from(text));

/** An exchange with a budget of bytes, and what it tells. `more()` gives room for everything. */
function exchangeOf(budget: number) {
  const socket = new Socket();
  const seen = { told: [] as string[], taken: 0, isHeld: false };
  let more = (): void => undefined;
  const flow = {
    reading: socket,
    hold: (one?: Socket) => (seen.isHeld ||= one !== undefined),
    letGo: (one?: Socket) => (seen.isHeld &&= one === undefined),
    took: () => undefined,
  } as unknown as SocketFlow;
  let room = budget;
  const owner: ExchangeOwner<object> = {
    maxMessageBytes: 20_000_000,
    maxEventIdBytes: 100,
    flow,
    memory: () => ({
      size: (bytes) => ((seen.taken = bytes), bytes <= room),
      room: () => new Promise((resolve) => (more = resolve)),
    }),
    begun: () => undefined,
    head: () => undefined,
    event: (_, { data }) => (seen.told.push(`event ${data}`), 0),
    answered: (_, __, body) => seen.told.push(`answer ${body.length}`),
    streamEnded: () => seen.told.push('ended'),
    broken: (_, __, error) => seen.told.push(`broken ${error.message}`),
  };
  const exchange = new Exchange(owner, {});
  exchange.onConnect(() => undefined);
  const giveRoom = (): void => {
    room = Infinity;
    more();
  };
  return { exchange, seen, more: giveRoom };
}

describe('upstream: an exchange whose answer is compressed', () => {
  it('takes memory for what is decoded, and decodes no more until there is room', async () => {
    const { exchange, seen, more } = exchangeOf(200_000);
    exchange.onHeaders(200, head('application/json'));
    const body = gzipSync(Buffer.alloc(10_000_000, 120));
    exchange.onData(body.subarray(0, 5_000));
    exchange.onData(body.subarray(5_000));
    await until('the budget is spent', () => seen.taken > 200_000);
    expect(seen.isHeld).equal(true);
    exchange.onComplete();
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(seen.taken).below(300_000);
    expect(seen.told).eql([]);
    more();
    await until('it is answered', () => seen.told.length > 0);
    expect(seen).eql({ told: ['answer 10000000'], taken: 0, isHeld: false });
  });

  it('gives the memory back when the rest is longer than a message may be', async () => {
    const { exchange, seen } = exchangeOf(Infinity);
    exchange.onHeaders(200, head('application/json'));
    exchange.onData(gzipSync(Buffer.alloc(50_000_000, 120)));
    exchange.onComplete();
    await until('it has failed', () => seen.told.length > 0);
    expect(seen).eql({ told: ['broken the answer is longer than 20000000 bytes'], taken: 0, isHeld: false });
  });

  it('gives the memory back when it is dropped meanwhile', async () => {
    const { exchange, seen } = exchangeOf(Infinity);
    exchange.onHeaders(200, head('application/json'));
    exchange.onData(gzipSync(Buffer.alloc(10_000_000, 120)));
    await until('a part is decoded', () => seen.taken > 0);
    exchange.drop();
    exchange.onComplete();
    await until('the socket is free', () => !seen.isHeld);
    expect(seen).eql({ told: [], taken: 0, isHeld: false });
  });

  it('tells the events that have arrived before its connection breaks', async () => {
    const { exchange, seen } = exchangeOf(Infinity);
    exchange.onHeaders(200, head('text/event-stream', 'deflate'));
    exchange.onData(deflateSync('data: one\n\ndata: tw', { finishFlush: constants.Z_SYNC_FLUSH }));
    exchange.onError(new Error('reset'));
    await until('it is broken', () => seen.told.length > 1);
    expect(seen.told).eql(['event one', 'broken reset']);
  });

  for (const encoding of ['gzip', 'br', 'deflate'])
    it(`is complete without a body (${encoding})`, () => {
      const { exchange, seen } = exchangeOf(Infinity);
      exchange.onHeaders(202, head('application/json', encoding));
      exchange.onComplete();
      expect(seen.told).eql(['answer 0']);
    });
});
