import { expect } from 'chai';
import type { StartupItem, StartupReport } from '../../../kernel/index.ts';
import { settledReports, startTable, readyWords } from '../../../kernel/program/startTable.ts';

function itemOf(name: string, state: string, more: Partial<StartupItem> = {}): StartupItem {
  return { name, state, isStarting: state === 'starting', tools: 0, since: 1_250, ...more };
}
function reportOf(...items: readonly StartupItem[]): StartupReport {
  return { subject: 'server', items: () => items };
}

describe('start table', () => {
  it('has a line for every server with state, tools, ms and the error', () => {
    const report = reportOf(
      itemOf('github', 'running', { tools: 12 }),
      itemOf('a', 'failed', { error: 'command x cannot be run' }),
    );
    expect(startTable(report, 1_000)).equal(
      [
        '  server  state    tools   ms',
        '  github  running     12  250',
        '  a       failed       0  250  command x cannot be run',
        '',
      ].join('\n'),
    );
  });

  it('is empty without servers', () => {
    expect(startTable(reportOf(), 0)).equal('');
  });

  it('has the same facts in words for the ready line', () => {
    const report = reportOf(itemOf('github', 'running', { tools: 12 }), itemOf('a', 'failed'));
    expect(readyWords(report)).deep.equal({ github: 'running, 12 tools', a: 'failed' });
  });

  it('waits until no server is starting', async () => {
    let asked = 0;
    const reports = () => [reportOf(itemOf('a', (asked += 1) > 2 ? 'running' : 'starting'))];
    const { signal } = new AbortController();
    expect((await settledReports(reports, { atMostMs: 60_000, signal }))?.[0]?.items()[0]?.state).equal(
      'running',
    );
    expect(asked).above(2);
  });

  it('stops waiting at its limit, and at once when Pegboard stops', async () => {
    const reports = () => [reportOf(itemOf('a', 'starting'))];
    const { signal } = new AbortController();
    expect((await settledReports(reports, { atMostMs: 1, signal }))?.[0]?.items()[0]?.state).equal(
      'starting',
    );
    expect(await settledReports(reports, { atMostMs: 60_000, signal: AbortSignal.abort() })).equal(undefined);
  });
});
