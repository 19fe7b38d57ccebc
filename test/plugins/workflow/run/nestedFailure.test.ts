import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import { answerIn, askCore, callCore } from '../../../support/coreTools.ts';
import type { Files } from '../../../support/directory.ts';
import { bootBoard, file, stepsOf } from '../board.ts';
import type { Board } from '../board.ts';

const DEEP = { id: 'deep', tool: 'x_fail', args: { text: 'disk full' } };

/** Workflows n1 to n16, of which each calls the one before; n1 fails. */
function chain(levels: number, id = 'call', text = 'disk full'): Files {
  const files = Array.from({ length: levels - 1 }, (_, at) =>
    file(`n${at + 2}`, { steps: [{ id: `${id}${at + 2}`, tool: `workflow_n${at + 1}` }] }),
  );
  return Object.assign(file('n1', { steps: [{ ...DEEP, args: { text } }] }), ...files) as Files;
}
async function sizesIn(board: Board, levels: number): Promise<readonly number[]> {
  const sizes: number[] = [];
  for (let level = 1; level <= levels; level += 1) {
    const { content } = await callCore(board, `workflow_n${level}`);
    sizes.push(Buffer.byteLength(String(content[0]?.['text'])));
  }
  return sizes;
}
async function recordOf(board: Board, document: JsonObject): Promise<JsonObject> {
  const { execution_id } = document;
  return askCore(board, 'core_workflow_execution_get', { execution_id });
}

describe('plugins/workflow: a nested workflow that fails', () => {
  it('is recorded by its execution, its name and its error, and the message reads from outside in', async () => {
    const board = await bootBoard({
      files: {
        ...file('inner', { steps: [DEEP] }),
        ...file('outer', { steps: [{ id: 'call', tool: 'workflow_inner' }] }),
      },
    });
    const result = await callCore(board, 'workflow_outer');
    expect(result.isError).to.equal(true);
    const document = answerIn(result);
    expect(document['error']).to.deep.include({
      message: 'step call failed: workflow inner: step deep failed: disk full',
      step: 'call',
      tool: 'workflow_inner',
    });
    const [step] = stepsOf(document);
    const { execution_id, ...rest } = step?.['result'] as JsonObject;
    expect(rest).to.deep.equal({ workflow: 'inner', error: 'step deep failed: disk full' });
    expect(step?.['error']).to.equal('workflow inner: step deep failed: disk full');
    expect(await recordOf(board, { execution_id })).to.include({
      workflow_name: 'inner',
      status: 'failed',
      error: 'step deep failed: disk full',
    });
    const outer = await recordOf(board, document);
    expect(outer).to.include({ error: 'step call failed: workflow inner: step deep failed: disk full' });
    expect((outer['steps'] as JsonObject[])[0]?.['result']).to.deep.equal(step?.['result']);
  });

  it('makes an answer of 4 KB at most at 16 levels', async () => {
    const board = await bootBoard({ files: chain(16) });
    const sizes = await sizesIn(board, 16);
    expect(Math.max(...sizes), sizes.join()).to.be.at.most(4096);
    const { error } = answerIn(await callCore(board, 'workflow_n16'));
    const { message } = error as { message: string };
    expect(message).to.match(/^step call16 failed: workflow n15: step call15 failed: workflow n14: /);
    expect(message).to.match(/workflow n1: step deep failed: disk full$/);
  });

  it('makes one of 4 KB with long names and a long cause too, and keeps both ends', async () => {
    const text = `no space; ${'x'.repeat(30_000)} on /dev/sda1`;
    const board = await bootBoard({
      files: chain(16, 'a_step_with_a_rather_long_name_that_says_all_', text),
    });
    const sizes = await sizesIn(board, 16);
    expect(Math.max(...sizes.slice(1)), sizes.join()).to.be.at.most(4096);
    const { error } = answerIn(await callCore(board, 'workflow_n16'));
    const { message } = error as { message: string };
    expect(message).to.match(/^step a_step_with_a_rather_long_name_that_says_all_16 failed: workflow n15: /);
    expect(message).to.match(/ … x*.* on \/dev\/sda1$/);
  });

  it('is tolerated, retried and told to later steps by its message', async () => {
    const board = await bootBoard({
      files: {
        ...file('inner', { steps: [DEEP] }),
        ...file('outer', {
          steps: [
            {
              id: 'call',
              tool: 'workflow_inner',
              allowFailure: true,
              retry: { max: 1, delay: '1ms', retryOn: ['isError'] },
            },
            { id: 'say', tool: 'x_say', args: { text: '{{ .results.call.error }}' }, output: true },
          ],
        }),
      },
    });
    const document = answerIn(await callCore(board, 'workflow_outer'));
    expect(document['status']).to.equal('completed');
    const [call, say] = stepsOf(document);
    expect(call).to.include({ status: 'failed', attempts: 2 });
    expect(say?.['result']).to.equal('workflow inner: step deep failed: disk full');
  });

  it('says what is wrong with its output', async () => {
    const board = await bootBoard({
      files: {
        ...file('inner', { steps: [{ id: 'a', tool: 'x_echo' }], output: { n: '{{ .results.none.x }}' } }),
        ...file('outer', { steps: [{ id: 'call', tool: 'workflow_inner' }] }),
      },
    });
    const { error } = answerIn(await callCore(board, 'workflow_outer'));
    expect((error as JsonObject)['message']).to.match(
      /^step call failed: workflow inner: failed to render output template: output\.n: /,
    );
  });
});
