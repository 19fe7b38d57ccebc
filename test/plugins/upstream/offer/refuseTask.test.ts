import { expect } from 'chai';
import { rawResult } from '../../../../kernel/index.ts';
import type { CallResult } from '../../../../kernel/index.ts';
import { refuseTask } from '../../../../plugins/upstream/offer/refuseTask.ts';

const TASK = { taskId: 't', status: 'working', ttl: null };
const passed = (value: object): CallResult => {
  const result = rawResult(JSON.stringify(value));
  expect(refuseTask(result, { tool: 'run', server: 's' })).equal(result);
  return result;
};

describe('upstream: refuseTask', () => {
  it('refuses a task in the form of each revision, and says that it may have run', () => {
    for (const value of [
      { task: TASK },
      { task: TASK, content: [] },
      { task: TASK, _meta: { 'io.modelcontextprotocol/model-immediate-response': 'soon' } },
      { resultType: 'task', ...TASK },
      { resultType: 'task', ...TASK, content: [{ type: 'text', text: 'soon' }] },
    ]) {
      const result = rawResult(JSON.stringify(value));
      expect(() => refuseTask(result, { tool: 'run', server: 's' }), result.json)
        .to.throw(
          /^tool run of server s was answered with a task, which was not asked for: there are no tasks here/,
        )
        .that.deep.include({ code: 'UPSTREAM_PROTOCOL', details: { server: 's', mayHaveRun: true } });
    }
  });

  it('returns results that only mention a task', () => {
    const content = [{ type: 'text', text: '{"task":{"taskId":"t"}}' }];
    passed({ content, task: TASK });
    passed({ content: [], structuredContent: { taskId: 't' }, task: TASK });
    passed({ content: [], task: { taskId: 7 } });
    passed({ content: [], task: 'taskId', taskId: 't' });
    passed({ content: [], resultType: 'complete', taskId: 't' });
    passed({ content, _meta: { 'io.modelcontextprotocol/related-task': { taskId: 't' } } });
  });

  it('does not parse a result without a task id', () => {
    const result: CallResult = {
      json: '{"content":[]}',
      value: () => {
        throw new Error('parsed');
      },
    };
    expect(refuseTask(result, { tool: 'run', server: 's' })).equal(result);
  });
});
