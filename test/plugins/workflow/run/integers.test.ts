import { expect } from 'chai';
import type { Tool, ToolResult } from '../../../../kernel/contracts/call.ts';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import { rawResult, textResult } from '../../../../kernel/lib/results.ts';
import { exactText, keepExactNumbers } from '../../../../plugins/kit/calls/exactNumbers.ts';
import { answerIn, callCore } from '../../../support/coreTools.ts';
import { toolOf } from '../../../support/kernel.ts';
import { bootBoard, file, run, stepsOf } from '../board.ts';
import type { Board } from '../board.ts';

const ODD = '9007199254740993';
const ROW = `{"id":${ODD},"even":9007199254740994,"below":-12345678901234567890,"ids":[1,{"n":${ODD}}],"f":1e400}`;

/** The arguments that `x_sent` received, as a server would get them. */
let sent: string;
const tools: readonly Tool[] = [
  toolOf('x_text', { invoke: () => textResult(ROW) }),
  toolOf('x_structured', {
    invoke: () => rawResult(`{"content":[{"type":"text","text":"a row"}],"structuredContent":${ROW}}`),
  }),
  toolOf('x_sent', {
    inputSchema: { type: 'object', properties: { wanted: { type: 'integer' }, word: { type: 'string' } } },
    invoke: (args) => {
      sent = exactText(args) ?? JSON.stringify(args);
      return textResult('done');
    },
  }),
];
const step = { id: 'r', tool: 'x_text' };
const send = (args: JsonObject) => ({ id: 's', tool: 'x_sent', args });

async function boardOf(steps: readonly unknown[], more: JsonObject = {}): Promise<Board> {
  return bootBoard({ tools, files: file('w', { steps, ...more }) });
}

/** What a step sends, after one that got the row. */
async function sentBy(args: JsonObject, from: JsonObject = step): Promise<string> {
  const board = await boardOf([from, send(args)]);
  expect(await run(board, 'w')).to.include({ status: 'completed' });
  return sent;
}

/** Arguments as a client has written them. */
function written(text: string): JsonObject {
  const message = { arguments: JSON.parse(text) as JsonObject };
  keepExactNumbers(`{"arguments":${text}}`, message);
  return message.arguments;
}

function textIn({ content }: ToolResult): string {
  return String(content[0]?.['text']);
}

describe('plugins/workflow: integers beyond 2^53', () => {
  const passed = {
    id: '{{ .results.r.id }}',
    even: '{{ .results.r.even }}',
    below: ['{{ .results.r.below }}'],
    all: '{{ .results.r.ids }}',
  };
  const asSent = `{"id":${ODD},"even":9007199254740994,"below":[-12345678901234567890],"all":[1,{"n":${ODD}}]}`;

  it('reach the next tool as a tool has written them, in its text or structured content', async () => {
    expect(await sentBy(passed)).equal(asSent);
    expect(await sentBy(passed, { ...step, tool: 'x_structured' })).equal(asSent);
  });

  it('are the same number in texts, functions and conversions', async () => {
    const args = {
      text: 'id {{ .results.r.id }}, {{ .results.r.even }}',
      json: '{{ .results.r.ids | toJson }}',
      read: '{{ (.results.r.ids | toJson | fromJson | last).n }}',
      sum: '{{ add .results.r.id 2 }}',
      wanted: '{{ printf "%d" .results.r.id }}',
      word: '{{ .results.r.id }}',
    };
    expect(await sentBy(args)).equal(
      JSON.stringify({
        text: `id ${ODD}, 9007199254740994`,
        json: `[1,{"n":${ODD}}]`,
        read: ODD,
        sum: '9007199254740995',
        wanted: 0,
        word: ODD,
      }).replace('"wanted":0', `"wanted":${ODD}`),
    );
  });

  const conditions: readonly (readonly [condition: unknown, status: string])[] = [
    [{ fromStep: 'r', expect: { jsonPath: { id: 9007199254740992 } } }, 'skipped'],
    [{ fromStep: 'r', expect: { jsonPath: { id: ODD } } }, 'completed'],
    [{ fromStep: 'r', expect: { jsonPath: { id: '{{ .results.r.id }}' } } }, 'completed'],
    [{ fromStep: 'r', expect: { jsonPath: { even: 9007199254740994 } } }, 'completed'],
    [{ fromStep: 'r', expect: { jsonPath: { 'id.value': ODD } } }, 'skipped'],
    [{ tool: 'x_structured', expect: { jsonPath: { id: 9007199254740992 } } }, 'skipped'],
    [{ tool: 'x_structured', expect: { jsonPath: { 'ids[1].n': ODD } } }, 'completed'],
    [`{{ eq .results.r.id ${ODD} }}`, 'completed'],
    ['{{ eq .results.r.id 9007199254740992 }}', 'skipped'],
    ['{{ eq .results.r.id .results.r.even }}', 'skipped'],
    ['{{ gt .results.r.even .results.r.id }}', 'completed'],
    ['{{ lt .results.r.below 0 }}', 'completed'],
  ];
  for (const [condition, status] of conditions)
    it(`are compared with all their digits: ${JSON.stringify(condition)}`, async () => {
      const board = await boardOf([step, { ...send({}), condition }]);
      expect(stepsOf(await run(board, 'w'))[1]).to.include({ status });
    });

  it('are numbers in the answer, and texts in the record, which other programs read', async () => {
    const board = await boardOf([step], {
      output: { id: '{{ .results.r.id }}', word: '{{ list .results.r.id }}' },
    });
    const text = textIn(await callCore(board, 'workflow_w'));
    expect(text).to.match(new RegExp(`^{"id":${ODD},"word":\\[${ODD}\\],"execution_id":"`));
    const { execution_id } = JSON.parse(text) as JsonObject;
    const record = answerIn(await callCore(board, 'core_workflow_execution_get', { execution_id }));
    expect(stepsOf(record)[0]?.['result']).to.include({ id: ODD, even: 9007199254740994 });
  });

  it('stay what the client has written in texts, conditions and nested workflows', async () => {
    const inner = file('inner', { steps: [send({ id: '{{ .input.id }}', text: 'of {{ .input.id }}' })] });
    const outer = file('w', {
      args: { id: { type: 'integer', required: true } },
      steps: [
        {
          id: 'n',
          tool: 'workflow_inner',
          args: { id: '{{ .input.id }}' },
          condition: `{{ eq .input.id ${ODD} }}`,
        },
      ],
    });
    const board = await bootBoard({ tools, files: { ...inner, ...outer } });
    const text = textIn(await callCore(board, 'workflow_w', written(`{"id":${ODD}}`)));
    expect(sent).equal(`{"id":${ODD},"text":"of ${ODD}"}`);
    expect(text).to.contain(`"input":{"id":${ODD}}`);
  });

  it('are masked where they are secret', async () => {
    const files = file('w', {
      args: { pin: { type: 'integer', sensitive: true } },
      steps: [send({ pin: '{{ .input.pin }}', more: '{{ .results }}' })],
    });
    const board = await bootBoard({ tools, files });
    const text = textIn(await callCore(board, 'workflow_w', written(`{"pin":${ODD}}`)));
    expect(sent).equal(`{"pin":${ODD},"more":{}}`);
    expect(text).to.contain('"input":{"pin":"[redacted]"}').and.not.contain(ODD.slice(0, -2));
  });
});
