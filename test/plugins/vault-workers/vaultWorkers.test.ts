import { expect } from 'chai';
import type { Quota } from '../../../plugins/contracts/processes.ts';
import { Peers, Quotas } from '../../../plugins/contracts/processes.ts';
import { startGateway } from '../../contract/gateway.ts';
import type { TestGateway } from '../../contract/gateway.ts';
import { makeDirectory } from '../../support/directory.ts';

const NOTHING = { calls: 0, spare: 0, back: 0, hold: 0 };
/** The line of the first process, as the plugin workers has it; `ask` is worker 1. */
const LINE = `
const answers = new Map();
const line = {
  number: 0,
  living: () => [1],
  answer: (topic, answer) => void answers.set(topic, answer) ?? (() => answers.delete(topic)),
  ask: async (topic, question) => answers.get(topic)(question, topic === 'hello' ? 0 : 1),
  tell: () => undefined,
  hear: () => () => undefined,
};
const WorkerLine = { id: 'worker-line', cardinality: 'one' };
export const plugin = {
  name: 'line',
  api: 1,
  configSchema: { type: 'object' },
  provides: [WorkerLine],
  apply: (scope) => scope.provide(WorkerLine, line),
};
export { line };
`;

describe('The state of workers', () => {
  let gateway: TestGateway;
  let draw: (worker: number, quota: Quota, more: object) => Promise<unknown>;
  before(async () => {
    const directory = makeDirectory({ 'line.mjs': LINE });
    const plugins = { 'vault-memory': {}, 'vault-workers': {}, line: { module: directory.at('line.mjs') } };
    gateway = await startGateway({
      directory: directory.path,
      plugins,
      builtIns: ['vault-memory', 'vault-workers'],
    });
    const { line } = (await import(directory.at('line.mjs'))) as {
      line: { ask: (topic: string, question: unknown) => Promise<unknown> };
    };
    await line.ask('hello', 'another');
    draw = (worker, quota, more) =>
      worker === 0
        ? gateway.get(Quotas).draw('x' + JSON.stringify(quota), quota, { ...NOTHING, ...more })
        : line.ask('draw', { name: 'x' + JSON.stringify(quota), quota, draw: { ...NOTHING, ...more } });
  });
  after(() => gateway.stop());

  it('grants all workers together what a limit allows, and says when the next call is free', async () => {
    const quota = { callsPerMinute: 1, burst: 5, concurrent: 0 };
    expect(await draw(0, quota, { calls: 1, spare: 9 })).include({ calls: 3 });
    const { waitMs, ...drawn } = (await draw(1, quota, { calls: 3 })) as { waitMs: number };
    expect(drawn).deep.equal({ calls: 2, held: 0 });
    expect(waitMs).within(50_000, 60_000);
    expect(await draw(0, quota, { calls: 2, back: 1 }), 'one was given back').include({ calls: 1 });
  });

  it('holds running calls for each worker', async () => {
    const quota = { callsPerMinute: 0, burst: 0, concurrent: 3 };
    expect(await draw(0, quota, { calls: 2, hold: 2 })).deep.equal({ calls: 2, held: 2, waitMs: 0 });
    expect(await draw(1, quota, { hold: 2 })).include({ held: 1 });
    await draw(0, quota, { hold: 0 });
    expect(await draw(1, quota, { hold: 4 })).include({ held: 3 });
  });

  it('knows which processes live', async () => {
    const peers = gateway.get(Peers);
    expect(await Promise.all([peers.own, 'ended'].map((id) => peers.isAlive(id)))).deep.equal([true, false]);
  });
});
