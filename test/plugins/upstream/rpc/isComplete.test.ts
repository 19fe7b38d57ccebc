import { expect } from 'chai';
import fc from 'fast-check';
import { isComplete } from '../../../../plugins/upstream/rpc/isComplete.ts';

const TASK = { taskId: 't', status: 'working', ttl: null };
const isFinal = (value: object): boolean => isComplete(JSON.stringify(value));

describe('upstream: isComplete', () => {
  it('is false for a task in the form of each revision', () => {
    for (const value of [
      { task: TASK },
      { task: TASK, content: [] },
      { task: TASK, _meta: { 'io.modelcontextprotocol/model-immediate-response': 'soon' } },
      { resultType: 'task', ...TASK },
      { resultType: 'task', ...TASK, content: [{ type: 'text', text: 'soon' }] },
    ])
      expect(isFinal(value), JSON.stringify(value)).to.equal(false);
  });

  it('is true for results that only mention a task', () => {
    const content = [{ type: 'text', text: '{"task":{"taskId":"t"}}' }];
    for (const value of [
      { content, task: TASK },
      { content: [], structuredContent: { taskId: 't' }, task: TASK },
      { content: [], task: { taskId: 7 } },
      { content: [], task: 'taskId', taskId: 't' },
      { content: [], resultType: 'complete', taskId: 't' },
      { content, _meta: { 'io.modelcontextprotocol/related-task': { taskId: 't' } } },
    ])
      expect(isFinal(value), JSON.stringify(value)).to.equal(true);
  });

  it('is true exactly for a result whose own resultType is complete or absent', () => {
    const word = fc.constantFrom('complete', 'input_required', 'hologram', '"resultType":"complete"');
    const inner = fc.record({ resultType: word, text: word }, { requiredKeys: [] });
    const result = fc.record({ resultType: word, content: word, inner }, { requiredKeys: [] });
    fc.assert(
      fc.property(result, fc.constantFrom(undefined, 1), (value, spaces) => {
        const isOwn = value.resultType === undefined || value.resultType === 'complete';
        expect(isComplete(JSON.stringify(value, undefined, spaces))).to.equal(isOwn);
      }),
    );
  });
});
