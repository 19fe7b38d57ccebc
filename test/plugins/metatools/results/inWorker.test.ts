import { expect } from 'chai';
import { InWorker, WorkerFault } from '../../../../plugins/metatools/results/inWorker.ts';
import type { Selected } from '../../../../plugins/metatools/results/select.ts';
import { defer } from '../../../support/cleanup.ts';
import { turnsDuring } from '../../../support/turns.ts';

const ENOUGH_MS = 20_000;
const ROWS = JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, name: 'a'.repeat(40) })));

describe('metatools: work in a worker', () => {
  let worker: InWorker;
  beforeEach(() => {
    worker = new InWorker();
    defer(() => worker.end());
  });
  const select = (
    path: string,
    parts: readonly string[],
    ms = ENOUGH_MS,
    sharer = 'ann',
  ): Promise<Selected> =>
    worker.run<Selected>({ run: 'select', path, asked: { offset: 0, limit: 1_000 } }, parts, { ms, sharer });
  const faultOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('reads the parts of a text, while the event loop continues', async () => {
    const { value, count } = await turnsDuring(() => select('$[1]', ['[1,', '22]']));
    expect(value).to.deep.include({ shown: '22' });
    expect(count).to.be.above(5);
  });

  it('is ended when it takes too long, also within a regular expression, and the next one runs', async () => {
    const slow = JSON.stringify([`${'a'.repeat(50)}!`]);
    for (const [path, json] of [
      ['$[?match(@, "(a+)+b")]', slow],
      ['$[?$[?$[?$..nothing]]]', ROWS],
    ] as const) {
      const fault = await faultOf(select(path, [json], 1_500));
      expect(fault).to.be.instanceOf(WorkerFault);
      expect(fault).to.have.property(
        'message',
        'took longer than 1500 ms (plugins.metatools.config.workerMs)',
      );
    }
    expect(await select('$[0].id', [ROWS])).to.deep.include({ shown: '0' });
  }).timeout(30_000);

  it('reports mistakes in a path as the mistake of the caller', async () => {
    expect(await faultOf(select('$[', ['1']))).to.deep.include({ isCallers: true });
  });

  it('ends with its owner, also what waits for its turn', async () => {
    const both = [select('$[?$[?$[?$..nothing]]]', [ROWS]), select('$', ['1'])].map(faultOf);
    worker.end();
    for (const fault of await Promise.all(both))
      expect(fault).to.have.property('message', 'was ended, because the plugin stops');
  });

  it('serves callers in turn: one who has many waiting does not hold up another', async () => {
    const served: string[] = [];
    const by = (sharer: string): Promise<unknown> =>
      select('$', ['1'], ENOUGH_MS, sharer).then(() => served.push(sharer));
    await Promise.all([by('ann'), by('ann'), by('ann'), by('bob'), by('bob'), by('eve')]);
    expect(served).to.deep.equal(['ann', 'ann', 'bob', 'eve', 'ann', 'bob']);
  });

  it('passes on the failure of a part that cannot be read', async () => {
    const parts = async function* (): AsyncGenerator<string> {
      yield await Promise.resolve('[');
      throw new Error('gone');
    };
    const job = { run: 'select', path: '$', asked: { offset: 0, limit: 1 } } as const;
    expect(await faultOf(worker.run(job, parts(), { ms: ENOUGH_MS, sharer: 'ann' }))).to.have.property(
      'message',
      'gone',
    );
  });
});
