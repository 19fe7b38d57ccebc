import { expect } from 'chai';
import { bootGateway } from '../../../support/gateway.ts';
import type { Gateway } from '../../../support/gateway.ts';
import { metricsOf, valuesOf } from '../../../support/metrics.ts';
import { processesNaming } from '../../../support/proc.ts';
import { until } from '../../../support/until.ts';
import { SHELF } from '../support.ts';

const BUILT_INS = ['core-mcpservers', 'store-file', 'upstream'];

describe('metrics of servers', () => {
  const values = (gateway: Gateway, name: string) =>
    valuesOf(metricsOf(gateway), `pegboard.upstream.${name}`);
  const serve = async (definition: object): Promise<Gateway> => {
    const files = { 'config.yaml': '{}', 'mcpservers/shelf.yaml': JSON.stringify(definition) };
    return bootGateway({ builtIns: BUILT_INS, files });
  };
  /** Only in the command line of this test's servers. */
  const mark = `shelf-of-metrics-${process.pid}`;
  const shelf = { type: 'stdio', command: [process.execPath, SHELF, mark], autoStart: true };
  const connected = async (): Promise<Gateway> => {
    const gateway = await serve(shelf);
    await until(() => values(gateway, 'up')['server=shelf'] === 1);
    return gateway;
  };

  it('show why a server is away, since when, and when it is tried again', async () => {
    const gateway = await serve({ ...shelf, command: ['/nowhere/at-all'] });
    await until(() => values(gateway, 'state')['server=shelf state=failed'] === 1);
    expect(values(gateway, 'up')).deep.equal({ 'server=shelf': 0 });
    expect(values(gateway, 'failures')['server=shelf']).least(1);
    expect(values(gateway, 'next.attempt')['server=shelf']).least(0);
    expect(values(gateway, 'state.age')['server=shelf']).least(0);
    expect(values(gateway, 'catalogue.age')).deep.equal({});
  });

  it('show what the declarations of a server take', async () => {
    const gateway = await connected();
    const declared = JSON.stringify({ name: 'lend', description: 'lends', inputSchema: { type: 'object' } });
    expect(values(gateway, 'tools')).deep.equal({ 'server=shelf': 1 });
    expect(values(gateway, 'catalogue.size')).deep.equal({ 'server=shelf': declared.length });
    expect(values(gateway, 'catalogue.tokens')).deep.equal({
      'server=shelf': Math.round(declared.length / 4),
    });
    expect(values(gateway, 'catalogue.age')['server=shelf']).within(0, 60);
    expect(values(gateway, 'next.attempt')).deep.equal({});
  });

  it('count a loss and the restart after it', async () => {
    const gateway = await connected();
    expect(values(gateway, 'connections')).include({ 'server=shelf use=shared': 1 });
    expect(values(gateway, 'losses')).deep.equal({ 'server=shelf': 0 });
    for (const pid of processesNaming(mark)) process.kill(pid, 'SIGKILL');
    await until(() => values(gateway, 'connect.duration')['server=shelf'] === 2);
    expect(values(gateway, 'losses')).deep.equal({ 'server=shelf': 1 });
    expect(values(gateway, 'restarts')).include({ 'server=shelf cause=automatic': 1 });
  });
});
