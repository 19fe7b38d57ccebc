import { expect } from 'chai';
import type { Exchange } from '../../../../plugins/upstream/wire/exchange.ts';
import { StandingStream } from '../../../../plugins/upstream/wire/standingStream.ts';
import { until } from '../support.ts';

const nothing = (): void => undefined;

describe('upstream: the standing stream of a remote server', () => {
  it('is ended by a message over maxMessageBytes, and taken by messages that are not', async () => {
    let exchange: Exchange<undefined> | undefined;
    const heard: string[] = [];
    const stream = new StandingStream({
      listener: { message: (text) => void heard.push(text), sessionLost: nothing, closed: nothing },
      get: (one) => (exchange = one),
      hasSession: () => true,
      isBusy: () => false,
      resumeMs: 1_000,
      maxMessageBytes: 1_000,
      redact: (text) => text,
    });
    let fault: Error | undefined;
    try {
      stream.begin();
      await until('the request', () => exchange !== undefined);
      exchange?.onConnect((error) => (fault = error));
      exchange?.onHeaders(200, [Buffer.from('content-type'), Buffer.from('text/event-stream')]);
      for (let at = 0; at < 10; at += 1) exchange?.onData(Buffer.from(`data: ${'x'.repeat(500)}\n\n`));
      expect(heard).to.have.length(10);
      expect(fault).to.equal(undefined);
      exchange?.onData(Buffer.from(`data: ${'x'.repeat(2_000)}`));
      expect(fault?.message).to.contain('longer than 1000 bytes');
    } finally {
      stream.end();
    }
  });
});
