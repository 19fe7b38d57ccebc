import { expect } from 'chai';
import fc from 'fast-check';
import { isComplete } from '../../../../../plugins/upstream/client/rpc/isComplete.ts';

const TYPES = ['complete', 'input_required', 'hologram'];
/** Names and values that resemble what is searched for. */
const text = fc.constantFrom('resultType', ...TYPES, '"resultType":"complete"', 'a', '\\');
const anyType = fc.oneof(text, fc.constantFrom(null, 1, { resultType: 'complete' }, ['complete']));
const anyJson = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, anyType, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
}));
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

  it('agrees with JSON.parse for any result', () => {
    fc.assert(
      fc.property(anyJson.object, fc.constantFrom(undefined, 1, '\t'), (result, space) => {
        const { resultType } = result as { readonly resultType?: unknown };
        const isFinal = resultType === undefined || resultType === 'complete';
        expect(isComplete(JSON.stringify(result, undefined, space))).equal(isFinal);
      }),
    );
  });

  it('is decided by the result itself, not by what is in it', () => {
    expect(isComplete('{"a":{"resultType":"complete"},"resultType":"hologram"}')).equal(false);
    expect(isComplete('{"a":{"resultType":"input_required"},"resultType":"complete"}')).equal(true);
    expect(isComplete('{"a":{"resultType":"input_required"}}')).equal(true);
  });

  it('is decided by the last of several members of that name', () => {
    expect(isComplete('{"resultType":"complete","resultType":"input_required"}')).equal(false);
  });
});
