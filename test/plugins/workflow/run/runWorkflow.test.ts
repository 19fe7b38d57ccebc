import { expect } from 'chai';
import { requestOf } from '../../../support/requests.ts';
import { bootBoard, file, run, stepsOf } from '../board.ts';

describe('plugins/workflow: a run', () => {
  it('is called as a tool: takes arguments, runs the steps in order, returns one document', async () => {
    const board = await bootBoard({
      files: file(
        'greet',
        {
          description: 'Greets',
          args: {
            who: { type: 'string', required: true, description: 'Whom' },
            times: { type: 'integer', default: 2 },
          },
          steps: [
            {
              id: 'first',
              tool: 'x_echo',
              args: { text: 'hello {{ .input.who }}', n: '{{ .input.times }}' },
              output: true,
            },
            {
              id: 'second',
              tool: 'x_echo',
              args: { before: '{{ .results.first.text }}', all: '{{ .results.first }}' },
              store: true,
            },
          ],
        },
        { team: 'a' },
      ),
    });
    const tool = board.kernel.catalogue.declared('workflow_greet', requestOf());
    expect(tool).to.include({ kind: 'workflow', description: 'Greets' });
    expect(tool?.labels).to.deep.equal({ team: 'a' });
    expect(tool?.annotations).to.deep.equal({ readOnlyHint: true });
    expect(tool?.inputSchema).to.deep.equal({
      type: 'object',
      properties: {
        who: { type: 'string', description: 'Whom' },
        times: { type: 'integer', description: '', default: 2 },
      },
      required: ['who'],
    });
    const document = await run(board, 'greet', { who: 'Ada' });
    expect(document).to.include({ workflow: 'greet', status: 'completed' });
    expect(document['input']).to.deep.equal({ who: 'Ada', times: 2 });
    expect(document['template_vars']).to.deep.equal(['input.who', 'input.times']);
    expect(stepsOf(document).map(({ id, status, result }) => ({ id, status, result }))).to.deep.equal([
      { id: 'first', status: 'completed', result: { text: 'hello Ada', n: 2 } },
      {
        id: 'second',
        status: 'completed',
        result: { before: 'hello Ada', all: { text: 'hello Ada', n: 2 } },
      },
    ]);
  });
});
