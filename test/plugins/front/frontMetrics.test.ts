import { expect } from 'chai';
import { QuestionCounts } from '../../../plugins/front/client/questionCounts.ts';
import { callBody, callTool, initialize, startEdge } from '../../support/edge.ts';
import { metricsOf, valuesOf } from '../../support/metrics.ts';
import { openStream, send } from '../../support/rawHttp.ts';
import { gate } from '../../support/until.ts';

const LABELS = 'transport=http revision=2025-06-18';

describe('front: metrics', () => {
  it('count sessions and streams as they begin and end', async () => {
    const { gateway, url } = await startEdge();
    const now = (name: string) => valuesOf(metricsOf(gateway), name);
    const first = await initialize(url, '2025-06-18');
    const second = await initialize(url, '2025-06-18');
    const headers = { 'mcp-session-id': first };
    const stream = await openStream(`${url}/mcp`, { headers });
    // A session counts once it is used.
    expect(now('pegboard.sessions')).deep.equal({ [LABELS]: 1 });
    await callTool(url, second, callBody('echo'));
    expect(now('pegboard.sessions')).deep.equal({ [LABELS]: 2 });
    expect(now('pegboard.streams')).deep.equal({ [LABELS]: 1 });
    expect(now('pegboard.http.connections')['']).above(0);
    stream.close();
    await stream.ended;
    // Its client may resume it.
    expect(now('pegboard.streams')).deep.equal({ [LABELS]: 1 });
    await send(`${url}/mcp`, { method: 'DELETE', headers });
    expect(now('pegboard.sessions')).deep.equal({ [LABELS]: 1 });
    expect(now('pegboard.streams')).deep.equal({});
    expect(now('pegboard.sessions.opened')).deep.equal({ [LABELS]: 2 });
  });

  it('count questions by kind, and how they ended', async () => {
    const counts = new QuestionCounts();
    const { opened, open } = gate();
    const answered = counts.follow(
      { method: 'elicitation/create' },
      opened.then(() => ({ kind: 'result', json: '{}' })),
    );
    const failing = opened.then(() => Promise.reject(new Error('withdrawn')));
    const withdrawn = counts.follow({ method: 'sampling/createMessage' }, failing).catch(() => undefined);
    expect(counts.open).equal(2);
    open();
    await Promise.all([answered, withdrawn]);
    expect(counts.open).equal(0);
    expect([...counts.asked.samples()].map(({ labels, value }) => ({ ...labels, value }))).deep.equal([
      { kind: 'elicitation', value: 1 },
      { kind: 'sampling', value: 1 },
    ]);
    expect([...counts.answered.samples()].map(({ labels }) => labels)).deep.equal([
      { kind: 'elicitation', answer: 'result' },
      { kind: 'sampling', answer: 'none' },
    ]);
  });
});
