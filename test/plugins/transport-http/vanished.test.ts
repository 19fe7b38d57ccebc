import { expect } from 'chai';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { InboundRequest } from '../../../kernel/index.ts';
import type { Front } from '../../../plugins/contracts/mcp.ts';
import type { Session } from '../../../plugins/contracts/sessions.ts';
import { PostSink } from '../../../plugins/transport-http/postSink.ts';
import { Streams } from '../../../plugins/transport-http/streams.ts';
import { captureLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';

const CONFIG = {
  keepAliveMs: 5,
  maxBufferedBytes: 1_000,
  stalledReaderMs: 1_000,
  slowAnswerMs: 1_000,
  retryMs: 1,
  replayMs: 1,
  maxReplayBytes: 1_000,
  maxReplayStreams: 10,
  maxStreamReplayBytes: 1_000,
};
const SESSION: Session = {
  id: 'a',
  handle: 'a',
  revision: '2025-11-25',
  subject: undefined,
  capabilities: {},
  createdAt: 0,
};

describe('transport-http: a client that disconnects before its stream opens', () => {
  it('leaves no standing stream behind', async () => {
    let isAttached = false;
    const front = {
      attach: () => {
        isAttached = true;
        return () => void (isAttached = false);
      },
    } as Pick<Front, 'attach'> as Front;
    const streams = new Streams(() => CONFIG, captureLog());
    streams.start();
    const res = new ServerResponse(new IncomingMessage(new Socket()));
    res.destroy();
    streams.openStanding(front, res, { session: SESSION, request: {} as InboundRequest, hasMissed: false });
    expect(isAttached).equal(true);
    try {
      await until(() => !isAttached, { what: 'the stream is let go' });
    } finally {
      streams.stop();
    }
  });

  it('receives nothing before the answer, and the undelivered answer is logged', () => {
    const log = captureLog();
    const res = new ServerResponse(new IncomingMessage(new Socket()));
    const sink = new PostSink({ res, session: SESSION, mayStream: true }, new Streams(() => CONFIG, log));
    res.destroy();
    expect(sink.before('{}')).equal(false);
    sink.answer('{}', { refused: false });
    expect(log.having('answer not delivered').map(({ data }) => data)).deep.equal([
      { session: 'a', why: 'its client has disconnected' },
    ]);
  });
});

describe('transport-http: stored events of streams', () => {
  it('are those of maxReplayStreams streams, the oldest dropped first', () => {
    const streams = new Streams(() => ({ ...CONFIG, replayMs: 60_000, maxReplayStreams: 2 }), captureLog());
    const response = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));
    const opened = [1, 2, 3].map(() => {
      const stream = streams.openAnswer(SESSION, response());
      stream.send('x');
      return stream;
    });
    const resumed = opened.map(({ id }) => streams.resume(SESSION, `${id}_0`, response()));
    expect(resumed).deep.equal([false, true, true]);
  });

  it('are bounded by maxReplayBytes over all of them, the oldest dropped first', () => {
    const streams = new Streams(() => ({ ...CONFIG, replayMs: 60_000 }), captureLog());
    const response = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));
    const [first, second] = [1, 2].map(() => {
      const stream = streams.openAnswer(SESSION, response());
      stream.send('x'.repeat(800));
      return stream;
    });
    expect(streams.resume(SESSION, `${first?.id ?? ''}_0`, response())).equal(false);
    expect(streams.resume(SESSION, `${second?.id ?? ''}_0`, response())).equal(true);
  });
});
