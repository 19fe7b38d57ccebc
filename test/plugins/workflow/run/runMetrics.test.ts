import { expect } from 'chai';
import { metricsOf, valuesOf } from '../../../support/metrics.ts';
import { bootBoard, file, run } from '../board.ts';

describe('plugins/workflow: metrics', () => {
  it('count runs and steps by workflow and status, until the workflow is removed', async () => {
    const echo = { id: 'one', tool: 'x_echo', args: {} };
    const board = await bootBoard({
      files: {
        ...file('good', {
          steps: [echo, { id: 'two', tool: 'x_echo', args: {}, condition: { template: '{{ false }}' } }],
        }),
        ...file('bad', { steps: [{ id: 'one', tool: 'x_fail', args: {} }] }),
        ...file('slow', { steps: [{ id: 'one', tool: 'x_wait', args: {} }] }),
      },
    });
    const now = (name: string) => valuesOf(metricsOf(board), name);
    const none = Object.fromEntries(
      ['bad', 'good', 'slow'].flatMap((name) =>
        ['completed', 'failed', 'cancelled'].map((status) => [`workflow=${name} status=${status}`, 0]),
      ),
    );
    expect(now('pegboard.workflow.runs'), 'an alert sees the first failure').deep.equal(none);
    await run(board, 'good');
    await run(board, 'good');
    await run(board, 'bad').catch(() => undefined);
    const slow = run(board, 'slow');
    await board.waiting;
    expect(now('pegboard.workflow.running')).deep.equal({ 'workflow=slow': 1 });
    board.open();
    await slow;
    expect(now('pegboard.workflow.running')).deep.equal({});
    expect(now('pegboard.workflow.runs')).deep.equal({
      ...none,
      'workflow=good status=completed': 2,
      'workflow=bad status=failed': 1,
      'workflow=slow status=completed': 1,
    });
    expect(now('pegboard.workflow.duration')).deep.equal({
      'workflow=good': 2,
      'workflow=bad': 1,
      'workflow=slow': 1,
    });
    expect(now('pegboard.workflow.steps')).include({
      'workflow=good status=completed': 2,
      'workflow=good status=skipped': 2,
      'workflow=bad status=failed': 1,
    });
    board.directory.remove('workflows/good.yaml');
    await board.pipeline.reload();
    expect(Object.keys(now('pegboard.workflow.runs')).join()).not.include('good');
    expect(Object.keys(now('pegboard.workflow.steps')).join()).not.include('good');
  });
});
