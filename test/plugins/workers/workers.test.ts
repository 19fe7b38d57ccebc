import { expect } from 'chai';
import { BootFailure } from '../../../kernel/config/pipeline.ts';
import { makeDirectory } from '../../support/directory.ts';
import { WorkerLine } from '../../../plugins/contracts/processes.ts';
import { bootGateway, composeGateway } from '../../support/gateway.ts';

const TWO = { workers: { config: { count: 2 } } };

/** @returns what the start with this config.yaml is refused with */
async function refused(config: object): Promise<string> {
  const directory = makeDirectory({ 'config.yaml': JSON.stringify(config) });
  const gateway = await composeGateway({ directory, builtIns: 'all', aggregator: { port: 0 } });
  const error: unknown = await gateway.boot().catch((failure: unknown) => failure);
  if (!(error instanceof BootFailure)) throw new Error('it was not refused');
  return error.issues.map(({ message }) => message).join('\n');
}

describe('The plugin workers', () => {
  it('refuses stdio, whose client has one process', async () => {
    const said = await refused({ aggregator: { transport: 'stdio' }, plugins: TWO });
    expect(said).contain(
      'a client over stdio has one process; remove plugins.workers, or set aggregator.transport',
    );
  });

  it('refuses what is not a number of processes', async () => {
    for (const count of [0, 257, 1.5, 'all'])
      expect(await refused({ plugins: { workers: { config: { count } } } }), String(count)).contain('count');
  });

  it('answers nothing for the vault while no plugin keeps it for workers', async () => {
    const directory = makeDirectory({
      'config.yaml': JSON.stringify({
        aggregator: { port: 0 },
        plugins: { workers: { config: { count: 1 } } },
      }),
    });
    const { kernel } = await bootGateway({ directory, builtIns: ['http', 'workers'] });
    const line = kernel.registry.get(WorkerLine.id) as WorkerLine;
    const failure: unknown = await line.ask('get', 'key').catch((error: unknown) => error);
    expect(failure).include({ code: 'STORE_UNREACHABLE' });
  });

  it('refuses another program than pegboard serve', async () => {
    expect(await refused({ plugins: TWO })).contain('workers are processes of pegboard serve');
  });
});
