import { expect } from 'chai';
import type { ServiceRecord } from '../../../kernel/contracts/managedService.ts';
import { serverTable, settledServers } from '../../../kernel/program/startTable.ts';

function recordOf(name: string, state: string, more: Partial<ServiceRecord> = {}): ServiceRecord {
  return { name, service_type: 'MCPServer', state, health: 'unknown', metadata: {}, ...more };
}

describe('start table', () => {
  it('has a line for every server with state, tools, ms and what is wrong', () => {
    const since = new Date(1_250).toISOString();
    const records = [
      recordOf('github', 'running', { metadata: { tools: 12, since } }),
      recordOf('a', 'failed', { metadata: { tools: 0, since }, error: 'command x cannot be run' }),
    ];
    expect(serverTable(records, 1_000)).equal(
      [
        '  server  state    tools   ms',
        '  github  running     12  250',
        '  a       failed       0  250  command x cannot be run',
        '',
      ].join('\n'),
    );
  });

  it('is empty without servers', () => {
    expect(serverTable([], 0)).equal('');
  });

  it('waits until no server is starting', async () => {
    let asked = 0;
    const records = () => [recordOf('a', (asked += 1) > 2 ? 'running' : 'starting')];
    const { signal } = new AbortController();
    expect((await settledServers(records, { atMostMs: 60_000, signal }))?.[0]?.state).equal('running');
    expect(asked).above(2);
  });

  it('waits no longer than it may, and not at all when Pegboard stops', async () => {
    const records = () => [recordOf('a', 'starting')];
    const { signal } = new AbortController();
    expect((await settledServers(records, { atMostMs: 1, signal }))?.[0]?.state).equal('starting');
    expect(await settledServers(records, { atMostMs: 60_000, signal: AbortSignal.abort() })).equal(undefined);
  });
});
