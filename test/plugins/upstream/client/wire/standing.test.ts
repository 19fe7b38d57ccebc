import { expect } from 'chai';
import type { Exchange } from '../../../../../plugins/upstream/client/wire/exchange.ts';
import { resumeWait } from '../../../../../plugins/upstream/client/wire/resumeWait.ts';
import { StandingStream } from '../../../../../plugins/upstream/client/wire/standingStream.ts';
import { heldTimers } from '../../../../support/heldTimers.ts';
import { until } from '../../support.ts';
import { flowOf } from './flow.ts';

const nothing = (): undefined => undefined;

describe('upstream: the standing stream of a remote server', () => {
  it('starts over when the server has dropped the last event', async () => {
    const asked: (string | undefined)[] = [];
    let exchange: Exchange<undefined> | undefined;
    const stream = new StandingStream({
      listener: { failed: nothing, message: () => 0, doubted: nothing, reopened: nothing },
      get: (one, lastId) => {
        exchange = one;
        asked.push(lastId);
      },
      waits: { resumeMs: 1, maxResumeMs: 1, minResumeMs: 1 },
      maxMessageBytes: 1_000,
      maxEventIdBytes: 100,
      flow: flowOf(),
      memory: nothing,
    });
    try {
      stream.begin();
      await until('the stream', () => asked.length === 1);
      exchange?.onHeaders(200, [Buffer.from('content-type'), Buffer.from('text/event-stream')]);
      exchange?.onData(Buffer.from('id: 7\n\n'));
      exchange?.onComplete();
      await until('its continuation', () => asked.length === 2);
      exchange?.onHeaders(400, []);
      exchange?.onComplete();
      await until('a new one', () => asked.length === 3);
      expect(asked).to.deep.equal([undefined, '7', undefined]);
    } finally {
      stream.end();
    }
  });

  it('is asked for once the server has accepted what was sent before it, or after a while without that', () => {
    const timers = heldTimers();
    let asked = 0;
    const stream = new StandingStream({
      listener: { failed: nothing, message: () => 0, doubted: nothing, reopened: nothing },
      get: () => (asked += 1),
      waits: { resumeMs: 1, maxResumeMs: 1, minResumeMs: 1 },
      maxMessageBytes: 1_000,
      maxEventIdBytes: 100,
      flow: flowOf(),
      memory: nothing,
    });
    const after = (ms: number): number => {
      timers.pass(ms);
      return asked;
    };
    stream.begin();
    expect(after(100)).to.equal(0);
    stream.accepted();
    expect(after(0)).to.equal(1);
    // Of a later message.
    stream.accepted();
    expect(after(1_000)).to.equal(1);
    stream.end();
    stream.begin();
    expect(after(1_000)).to.equal(2);
    stream.end();
    stream.begin();
    stream.end();
    stream.accepted();
    expect(after(1_000)).to.equal(2);
  });

  it('is ended by a message over maxMessageBytes, and not by smaller ones', async () => {
    let exchange: Exchange<undefined> | undefined;
    const heard: string[] = [];
    const stream = new StandingStream({
      listener: {
        failed: nothing,
        message: (text) => heard.push(text),
        doubted: nothing,
        reopened: nothing,
      },
      get: (one) => (exchange = one),
      waits: { resumeMs: 1_000, maxResumeMs: 1_000, minResumeMs: 100 },
      maxMessageBytes: 1_000,
      maxEventIdBytes: 100,
      flow: flowOf(),
      memory: nothing,
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

  it('is resumed after the delay the server names, but never at once', () => {
    const waits = { resumeMs: 1_000, maxResumeMs: 30_000, minResumeMs: 100 };
    expect([undefined, 0, 99, 500].map((retryMs) => resumeWait(retryMs, waits))).to.deep.equal([
      1_000, 100, 100, 500,
    ]);
  });

  it('is resumed at growing intervals while it is empty and its server names no delay', () => {
    const waits = { resumeMs: 1_000, maxResumeMs: 5_000, minResumeMs: 100 };
    expect([0, 1, 2, 3, 99].map((empty) => resumeWait(undefined, waits, empty))).to.deep.equal([
      1_000, 2_000, 4_000, 5_000, 5_000,
    ]);
    expect(resumeWait(50, waits, 99)).to.equal(100);
  });
});
