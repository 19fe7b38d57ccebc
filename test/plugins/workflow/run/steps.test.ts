import { expect } from 'chai';
import type { CallResult, Tool, ToolResult } from '../../../../kernel/contracts/call.ts';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import { resultOf, textResult } from '../../../../kernel/lib/results.ts';
import { answerIn, callCore } from '../../../support/coreTools.ts';
import { toolOf } from '../../../support/kernel.ts';
import { turnCounter, turnsDuring } from '../../../support/turns.ts';
import { bootBoard, file, run, stepsOf } from '../board.ts';
import type { Board, BoardOptions, Row } from '../board.ts';

/** Runs one definition with the tools of the fixture. */
async function ran(
  spec: JsonObject,
  args: JsonObject = {},
  options: BoardOptions = {},
): Promise<{ document: JsonObject; board: Board; steps: readonly Row[] }> {
  const board = await bootBoard({ ...options, files: { ...file('w', spec), ...options.files } });
  const document = await run(board, 'w', args);
  return { document, board, steps: stepsOf(document) };
}
const shown = (steps: readonly Row[]) => steps.map(({ id, status }) => `${String(id)} ${String(status)}`);
const echo = (id: string, args: JsonObject = {}, more: JsonObject = {}) => ({
  id,
  tool: 'x_echo',
  args,
  output: true,
  ...more,
});

describe('plugins/workflow: steps', () => {
  it('keep types of sole references at any depth, and render everything else as text', async () => {
    const { steps } = await ran({
      steps: [
        { id: 'l', tool: 'x_list' },
        echo('e', {
          list: '{{ .results.l.items }}',
          one: '{{ .results.l.items[1].name }}',
          count: '{{ .context.l.count }}',
          text: 'n={{ .results.l.count }}',
          flag: '{{ eq .results.l.count 3 }}',
          words: '{{ len .results.l.items }}',
          deep: { in: ['{{ .results.l.count }}', 7, null, true] },
        }),
      ],
    });
    expect(steps[1]?.['result']).to.deep.equal({
      list: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
      one: 'b',
      count: 3,
      text: 'n=3',
      flag: true,
      words: '3',
      deep: { in: [3, 7, null, true] },
    });
  });

  it('read the environment and look up hosts in templates only where the configuration allows it', async () => {
    const spec = {
      steps: [
        echo('e', {
          path: '{{ env "PATH" }}',
          list: '{{ expandenv "[$PATH]" }}',
          host: '{{ getHostByName "localhost" }}',
        }),
      ],
    };
    const allowed = await ran(
      spec,
      {},
      { config: { templateFunctions: ['env', 'expandenv', 'getHostByName'] } },
    );
    const { PATH = '' } = process.env;
    const result = allowed.steps[0]?.['result'] as JsonObject;
    expect(result).to.include({ path: PATH, list: `[${PATH}]` });
    expect(result['host']).to.match(/^(127\.|::1)/);
    expect(allowed.board.log.having('templateFunctions')).to.deep.equal([]);
    const denied = await ran(spec);
    expect(String((denied.document['error'] as JsonObject)['message'])).to.contain('disabled by policy');
    expect(denied.board.log.having('is denied unless templateFunctions allows it', 'warn')).to.have.length(3);
  });

  it('omit their input with output false, unless they fail or the run is a debug run', async () => {
    const steps = [
      { id: 'quiet', tool: 'x_echo', args: { a: 1 }, output: false },
      { id: 'plain', tool: 'x_echo', args: { a: 2 } },
      { id: 'bad', tool: 'x_fail', args: { a: 3 }, output: false, allow_failure: true },
    ];
    const inputs = (rows: readonly Row[]): unknown[] => rows.map(({ input }) => input);
    expect(inputs((await ran({ steps })).steps)).to.deep.equal([undefined, { a: 2 }, { a: 3 }]);
    expect(inputs((await ran({ steps }, { _debug: true })).steps)).to.deep.equal([
      { a: 1 },
      { a: 2 },
      { a: 3 },
    ]);
  });

  it('name step, argument and position when a reference does not resolve', async () => {
    const { document, board } = await ran({
      steps: [echo('ok'), echo('bad-step', { text: '{{ .context.non_existent_value }}' }), echo('never')],
    });
    expect(document['status']).to.equal('failed');
    expect(document['error']).to.deep.include({
      line: 1,
      step: 'bad-step',
      tool: 'x_echo',
      message:
        'step bad-step failed: failed to resolve arguments for step bad-step: ' +
        "failed to render arguments for argument 'text': failed to render arguments: template execution failed: " +
        'template: template:1:11: executing "template" at <.context.non_existent_value>: map has no entry for key "non_existent_value"',
    });
    expect(shown(stepsOf(document))).to.deep.equal(['ok completed', 'bad-step failed']);
    expect(board.calls).to.deep.equal(['echo {}']);
  });

  it('fail on an isError result as on a thrown error, and allow_failure tolerates both', async () => {
    const spec = (more: JsonObject) => ({
      steps: [{ id: 'a', tool: 'x_fail', ...more }, { id: 'b', tool: 'x_crash', ...more }, echo('c')],
    });
    const strict = await ran(spec({}));
    expect(strict.document).to.include({ status: 'failed' });
    expect(shown(strict.steps)).to.deep.equal(['a failed']);
    expect(strict.steps[0]).to.include({ error: 'it broke', result: 'it broke' });
    const snake = await ran(spec({ allow_failure: true }));
    const camel = await ran(spec({ allowFailure: true }));
    for (const { document, steps } of [snake, camel]) {
      expect(document).to.include({ status: 'completed' });
      expect(shown(steps)).to.deep.equal(['a failed', 'b failed', 'c completed']);
      expect(steps[1]).to.include({ error: 'server s went away during the call', allow_failure: true });
    }
  });

  it('can read why a tolerated step failed, and its outputs when it did not', async () => {
    const { steps } = await ran({
      steps: [
        { id: 'f', tool: 'x_fail', allow_failure: true },
        {
          id: 'l',
          tool: 'x_list',
          outputs: { names: '{{ .result.items }}', n: '{{ add .result.count 1 }}' },
        },
        echo('e', {
          why: '{{ .results.f.error }}',
          was: '{{ .steps.f.status }}',
          n: '{{ .vars.n }}',
          names: '{{ .vars.names }}',
        }),
        echo('w', { me: '{{ .workflow.name }}' }),
      ],
    });
    expect(steps[2]?.['result']).to.deep.equal({
      why: 'it broke',
      was: 'failed',
      n: 4,
      names: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
    });
    expect(steps[3]?.['result']).to.deep.equal({ me: 'w' });
  });

  it('accept null, text and no content from tools unchanged', async () => {
    const { steps } = await ran({
      steps: [
        { id: 'n', tool: 'x_nothing' },
        { id: 't', tool: 'x_say', args: { text: 'not json' } },
        { id: 'f', tool: 'x_say', args: { text: '{{ .results.t.field }}' }, allow_failure: true },
        echo('e', { n: '{{ .results.n }}', t: '{{ .results.t }}' }),
      ],
    });
    expect(steps[3]?.['result']).to.deep.equal({ n: null, t: 'not json' });
    expect(String(steps[2]?.['error'])).to.contain("can't evaluate field field");
  });

  describe('whose results have no text', () => {
    const image = (bytes: number) => ({
      type: 'image',
      mimeType: 'image/png',
      data: Buffer.alloc(bytes).toString('base64'),
    });
    const shooter = (...content: readonly JsonObject[]): Tool => ({
      name: 'x_shoot',
      kind: 'tool',
      description: '',
      inputSchema: {},
      invoke: ({ isError = false }) => resultOf({ content, isError } as ToolResult),
    });
    const shot = { id: 'my-shot', tool: 'x_shoot' };
    const note = 'result holds 1 image (image/png, 3.2 KB) and no text';
    const tools = [shooter(image(3_200))];
    const noteOf = async (...content: readonly JsonObject[]): Promise<unknown> =>
      (await ran({ steps: [shot] }, {}, { tools: [shooter(...content)] })).steps[0]?.['note'];

    it('have a note of what they hold in the answer and in the record', async () => {
      const { document, board } = await ran({ steps: [shot] }, {}, { tools });
      expect(stepsOf(document)[0]).to.include({ status: 'completed', note });
      const { execution_id } = document;
      const record = answerIn(await callCore(board, 'core_workflow_execution_get', { execution_id }));
      expect(stepsOf(record)[0]).to.include({ status: 'completed', note }).and.not.have.property('result');
    });

    it('say how many of which type, in any kind of content', async () => {
      const sound = { type: 'audio', mimeType: 'audio/wav', data: 'QUJD' };
      const file = { type: 'resource', resource: { uri: 'a:b', mimeType: 'text/plain', text: 'four' } };
      expect(
        await noteOf(image(2_000_000), image(1), sound, file, { type: 'resource_link', uri: 'a:b' }),
      ).equal(
        'result holds 2 images (image/png, 2.0 MB), 1 recording (audio/wav, 3 B), 1 resource (text/plain, 4 B), 1 resource link and no text',
      );
      expect(await noteOf({ type: 'hologram' })).equal('result holds 1 hologram item and no text');
      expect(await noteOf()).equal(undefined);
      expect(await noteOf(image(1), { type: 'text', text: 'a' })).equal(undefined);
    });

    it('fail what reads them with the note', async () => {
      const reads: readonly (readonly [spec: JsonObject, fault: string])[] = [
        [{ steps: [shot, echo('e', { x: '{{ .results.my-shot }}' })] }, `; step my-shot: ${note}`],
        [{ steps: [{ ...shot, id: 's' }, echo('e', { x: 'a {{ .context.s.x }}' })] }, `; step s: ${note}`],
        [{ steps: [{ ...shot, id: 's' }, echo('e', {}, { condition: '{{ .results.s }}' })] }, note],
        [{ steps: [shot], output: { x: '{{ .results.my-shot }}' } }, note],
        [{ steps: [{ ...shot, outputs: { x: '{{ .result }}' } }] }, `; the ${note}`],
        [{ steps: [{ ...shot, args: { isError: true } }] }, `without a text; its ${note}`],
        [
          {
            steps: [{ id: 'g', parallel: [{ ...shot, id: 's' }] }, echo('e', { x: '{{ .results.g.s }}' })],
          },
          `; step s: ${note}`,
        ],
      ];
      for (const [spec, fault] of reads) {
        const { document } = await ran(spec, {}, { tools });
        expect(document['status']).to.equal('failed');
        expect(JSON.stringify(document['error'] ?? document['output_error']), fault).to.contain(fault);
      }
    });
  });

  it('fail when a template exceeds a limit, without harm to later runs', async () => {
    const { document, board } = await ran(
      { steps: [echo('a', { x: '{{ repeat (int .input.n) "xxxxxxxxxx" }}' })] },
      { n: 1000 },
      { config: { templateMaxStringBytes: 2048 } },
    );
    expect(document).to.include({ status: 'failed' });
    expect(JSON.stringify(document['error'])).to.contain('result too large').and.contain('step a failed');
    expect(await run(board, 'w', { n: 2 })).to.include({ status: 'completed' });
  });

  const limits: readonly (readonly [setting: string, value: number, template: string, fault: string])[] = [
    ['templateMaxSourceBytes', 64, `{{ len "${'x'.repeat(80)}" }}`, 'template too large'],
    ['templateMaxNesting', 10, `{{ ${'('.repeat(20)}1${')'.repeat(20)} }}`, 'nesting too deep'],
    ['templateMaxOutputBytes', 1024, '{{ range until 300 }}xxxxx{{ end }}', 'output too large'],
    ['templateMaxStringBytes', 1024, '{{ repeat 300 "xxxxx" | len }}', 'result too large'],
    ['templateMaxListItems', 100, '{{ until 200 | len }}', 'result too large'],
    [
      'templateMaxCallDepth',
      10,
      '{{ define "a" }}{{ if . }}{{ template "a" (sub . 1) }}{{ end }}{{ end }}{{ template "a" 20 }}',
      'exceeded maximum template depth (10)',
    ],
    [
      'templateMaxValueDepth',
      10,
      `{{ "${'['.repeat(20)}${']'.repeat(20)}" | fromJson }}`,
      'nested too deeply',
    ],
    ['templateMaxNodes', 1000, '{{ range until 2000 }}{{ end }}', 'execution budget exceeded'],
    [
      'templateMaxTimeMs',
      1,
      '{{ range until 5000 }}{{ . | toString | sha256sum }}{{ end }}',
      'execution time exceeded',
    ],
    ['templateMaxRegexInstructions', 10, '{{ regexMatch "abcdefghijklmnop" "x" }}', 'regexMatch'],
    ['templateMaxRegexInputBytes', 1024, '{{ repeat 2000 "x" | regexMatch "y" }}', 'regexMatch'],
    ['templateMaxRegexSteps', 1000, '{{ repeat 9000 "x" | regexMatch "(x+x+)+y" }}', 'regexMatch'],
  ];
  for (const [setting, value, template, fault] of limits)
    it(`fail when a template exceeds ${setting}`, async () => {
      const spec = { steps: [echo('a', { x: template })] };
      expect((await ran(spec)).document).to.include({ status: 'completed' });
      const { document } = await ran(spec, {}, { config: { [setting]: value } });
      expect(document).to.include({ status: 'failed' });
      expect(String((document['error'] as JsonObject)['message']))
        .to.contain(
          "step a failed: failed to resolve arguments for step a: failed to render arguments for argument 'x'",
        )
        .and.contain(fault);
    });

  it('cannot change the state of the run in their templates', async () => {
    const { steps } = await ran({
      steps: [
        { id: 'l', tool: 'x_list' },
        echo('set', { x: '{{ $_ := set .results.l "count" 99 }}{{ .results.l.count }}' }),
        echo('e', { count: '{{ .results.l.count }}' }),
      ],
    });
    expect(steps[2]?.['result']).to.deep.equal({ count: 3 });
  });

  it('are retried as retry specifies, and no more often', async () => {
    let attempts = 0;
    const flaky = {
      name: 'x_flaky',
      kind: 'tool' as const,
      description: '',
      inputSchema: {},
      invoke: () => ({
        json: '',
        value: () => ({ content: [{ type: 'text', text: String(++attempts) }], isError: attempts < 3 }),
      }),
    };
    const step = (max: number, on?: string[]) => ({
      steps: [{ id: 's', tool: 'x_flaky', output: true, retry: { max, delay: '1ms', ...(on && { on }) } }],
    });
    const good = await ran(step(2), {}, { tools: [flaky] });
    expect(good.steps[0]).to.include({ status: 'completed', attempts: 3, result: 3 });
    attempts = 0;
    const few = await ran(step(1), {}, { tools: [flaky] });
    expect(few.steps[0]).to.include({ status: 'failed', attempts: 2 });
    attempts = 0;
    const other = await ran(step(5, ['transport']), {}, { tools: [flaky] });
    expect(other.steps[0]).to.include({ status: 'failed', attempts: 1 });
  });

  it('end at their timeout, and the workflow at its timeout', async () => {
    const wait = { id: 's', tool: 'x_wait' };
    const late = await ran({ steps: [{ ...wait, timeout: '20ms' }] });
    expect(late.document).to.include({ status: 'failed' });
    expect(late.steps[0]).to.include({
      error: "tool x_wait timed out after 20 ms; raise the step's timeout",
    });
    const whole = await ran({
      timeout: 0.02,
      steps: [wait],
      onFailure: [echo('clean', { why: '{{ .error.message }}' })],
    });
    expect(whole.document).to.include({ status: 'failed' });
    expect(whole.document['error']).to.deep.include({ step: 's', tool: 'x_wait' });
    expect(whole.steps[1]?.['result']).to.deep.equal({ why: 'the workflow timed out after 20 ms' });
  });

  it('return a document rendered from the output templates instead of the standard one', async () => {
    const output = {
      n: '{{ len .results.l.items }}',
      names: ['{{ .results.l.items }}'],
      plain: 1,
      text: 'n={{ .results.l.count }}',
    };
    const { document } = await ran({ steps: [{ id: 'l', tool: 'x_list' }], output });
    expect(document).to.have.keys(['execution_id', 'n', 'names', 'plain', 'text']);
    expect(document).to.deep.include({
      n: 3,
      plain: 1,
      text: 'n=3',
      names: [[{ name: 'a' }, { name: 'b' }, { name: 'c' }]],
    });
    const broken = await ran({
      steps: [echo('a')],
      output: { a: { b: '{{ .results.none }}' } },
      finally: [echo('z')],
    });
    expect(broken.document).to.include({ status: 'failed' });
    expect(broken.document['output_error']).to.match(
      /^failed to render output template: output\.a\.b: template execution failed/,
    );
    expect(shown(broken.steps)).to.deep.equal(['a completed', 'z completed']);
  });

  it('add the fields of the last result to the standard keys without replacing any', async () => {
    const { document } = await ran({
      steps: [{ id: 'a', tool: 'x_echo', args: { status: 'odd', mine: 1 } }],
    });
    expect(document).to.include({ status: 'completed', mine: 1 });
  });

  it('run onFailure after a failure, and finally always', async () => {
    const spec = (tool: string) => ({
      steps: [{ id: 'a', tool }],
      onFailure: [
        echo('clean', { step: '{{ .error.step }}', tool: '{{ .error.tool }}', text: '{{ .error.message }}' }),
        { id: 'cleanFails', tool: 'x_fail' },
        echo('more'),
      ],
      finally: [echo('last', { status: '{{ .workflow.status }}' })],
    });
    const bad = await ran(spec('x_fail'));
    expect(bad.document).to.include({ status: 'failed' });
    expect(shown(bad.steps)).to.deep.equal([
      'a failed',
      'clean completed',
      'cleanFails failed',
      'more completed',
      'last completed',
    ]);
    expect(bad.steps[1]?.['result']).to.deep.equal({ step: 'a', tool: 'x_fail', text: 'it broke' });
    expect(bad.steps[4]?.['result']).to.deep.equal({ status: 'failed' });
    const good = await ran(spec('x_nothing'));
    expect(shown(good.steps)).to.deep.equal(['a completed', 'last completed']);
  });
});

describe('plugins/workflow: conditions', () => {
  /** Whether a step with this condition runs after a list, a failure and a skipped step. */
  async function runs(condition: unknown): Promise<unknown> {
    const { steps } = await ran({
      args: { yes: { type: 'boolean', default: true } },
      steps: [
        { id: 'l', tool: 'x_list' },
        { id: 'f', tool: 'x_fail', allow_failure: true },
        { id: 's', tool: 'x_list', condition: 'false' },
        echo('c', {}, { condition, allow_failure: true }),
      ],
    });
    return steps[3]?.['status'];
  }
  const rows: readonly (readonly [what: string, condition: unknown, status: string])[] = [
    ['a template', '{{ .input.yes }}', 'completed'],
    ['a template with spaces around true', { template: ' {{ .input.yes }}\n' }, 'completed'],
    ['a template that prints nothing', '{{ if not .input.yes }}true{{ end }}', 'skipped'],
    ['a template that prints false', '{{ not .input.yes }}', 'skipped'],
    ['a template that prints something else', '{{ .results.l.count }}', 'failed'],
    ['a template that prints True', 'T{{ "rue" }}', 'failed'],
    ['a tool that succeeds', { tool: 'x_list', expect: { success: true } }, 'completed'],
    ['a tool that fails', { tool: 'x_fail', expect: { success: true } }, 'skipped'],
    ['a tool that succeeds, without expect', { tool: 'x_list' }, 'completed'],
    ['a tool that fails, without expect', { tool: 'x_fail', args: {} }, 'skipped'],
    ['an earlier step without expect', { fromStep: 'l' }, 'completed'],
    ['an earlier step that failed, without expect', { from_step: 'f' }, 'skipped'],
    [
      'without expect in a combination',
      { all: [{ tool: 'x_list' }, { not: { fromStep: 'f' } }] },
      'completed',
    ],
    [
      'a tool that throws and is expected to fail',
      { tool: 'x_crash', expect: { success: false } },
      'completed',
    ],
    ['a path of a tool', { tool: 'x_list', expect: { json_path: { 'items[1].name': 'b' } } }, 'completed'],
    ['a path in camelCase', { tool: 'x_list', expect: { jsonPath: { count: '3' } } }, 'completed'],
    ['a path that differs', { tool: 'x_list', expect: { json_path: { count: 4 } } }, 'skipped'],
    ['a path that is not there', { tool: 'x_list', expect: { json_path: { none: 4 } } }, 'skipped'],
    ['a path that must not match', { tool: 'x_list', expectNot: { json_path: { count: 4 } } }, 'completed'],
    [
      'both expectations',
      { tool: 'x_list', expect: { success: true }, expect_not: { json_path: { count: 3 } } },
      'skipped',
    ],
    ['an earlier step', { fromStep: 'l', expect: { success: true } }, 'completed'],
    ['an earlier step that failed', { from_step: 'f', expect: { success: false } }, 'completed'],
    ['not a success', { from_step: 'f', expect_not: { success: true } }, 'completed'],
    ['a skipped step', { fromStep: 's', expect: { success: true } }, 'skipped'],
    ['a skipped step by its path', { fromStep: 's', expectNot: { success: true } }, 'completed'],
    [
      'an expected template',
      { fromStep: 'l', expect: { jsonPath: { count: '{{ .results.l.count }}' } } },
      'completed',
    ],
    [
      'a path that is a template',
      { fromStep: 'l', expect: { jsonPath: { '{{ len .result.items }}': 3 } } },
      'completed',
    ],
    ['all', { all: ['{{ .input.yes }}', { fromStep: 'l', expect: { success: true } }] }, 'completed'],
    ['all but one', { all: ['{{ .input.yes }}', 'false'] }, 'skipped'],
    ['any', { any: ['false', { not: 'false' }] }, 'completed'],
    ['not', { not: { any: ['false', 'true'] } }, 'skipped'],
    ['a broken reference', '{{ .results.none }}', 'failed'],
  ];
  for (const [what, condition, status] of rows) {
    it(`${what}: ${status}`, async () => {
      expect(await runs(condition)).to.equal(status);
    });
  }
});

describe('plugins/workflow: loops and groups', () => {
  it('run a body per item, with each result under its number', async () => {
    const { steps, document } = await ran({
      steps: [
        { id: 'l', tool: 'x_list' },
        {
          id: 'each',
          forEach: {
            items: '{{ .results.l.items }}',
            as: 'it',
            steps: [
              echo('one', { name: '{{ .vars.it.name }}', i: '{{ .vars.it_index }}' }),
              echo('two', { was: '{{ .results.one.name }}' }, { condition: '{{ ne .vars.it.name "b" }}' }),
            ],
          },
        },
        echo('after', {
          all: '{{ .results.each }}',
          last: '{{ .results.one.name }}',
          b: '{{ .results.one_1 }}',
          has: '{{ hasKey .results "two_1" }}',
        }),
      ],
    });
    expect(document).to.include({ status: 'completed' });
    const inside = steps.filter(({ parent }) => parent === 'each');
    expect(
      inside.map(({ id, iteration, status }) => `${String(id)} ${String(iteration)} ${String(status)}`),
    ).to.deep.equal([
      'one 0 completed',
      'two 0 completed',
      'one 1 completed',
      'two 1 skipped',
      'one 2 completed',
      'two 2 completed',
    ]);
    expect(inside[0]?.['result']).to.deep.equal({ name: 'a', i: 0 });
    expect(steps.at(-1)?.['result']).to.deep.equal({
      all: [
        { one: { name: 'a', i: 0 }, two: { was: 'a' } },
        { one: { name: 'b', i: 1 } },
        { one: { name: 'c', i: 2 }, two: { was: 'c' } },
      ],
      last: 'c',
      b: { name: 'b', i: 1 },
      has: false,
    });
  });

  it('run as many iterations at once as concurrency specifies, and keep the order of items', async () => {
    let under = 0;
    let most = 0;
    const slow = {
      name: 'x_slow',
      kind: 'tool' as const,
      description: '',
      inputSchema: {},
      invoke: async (args: JsonObject) => {
        most = Math.max(most, ++under);
        await new Promise((resolve) => setImmediate(resolve));
        under -= 1;
        return { json: '', value: () => ({ content: [{ type: 'text', text: JSON.stringify(args['n']) }] }) };
      },
    };
    const { document, steps } = await ran(
      {
        steps: [
          {
            id: 'each',
            forEach: {
              items: [1, 2, 3, 4, 5, 6],
              concurrency: 3,
              steps: [{ id: 's', tool: 'x_slow', args: { n: '{{ .vars.item }}' }, output: true }],
            },
          },
        ],
      },
      {},
      { tools: [slow] },
    );
    expect(document).to.include({ status: 'completed' });
    expect(most).to.equal(3);
    expect(steps.map(({ result }) => result)).to.deep.equal([1, 2, 3, 4, 5, 6]);
  });

  it('yield the event loop between slow templates, of one step and of many at once', async () => {
    const turn = turnCounter();
    const turnsOfCalls: number[] = [];
    const invoke = (): CallResult => {
      turnsOfCalls.push(turn());
      return textResult('done');
    };
    const tools: Tool[] = [{ name: 'x_mark', kind: 'tool', description: '', inputSchema: {}, invoke }];
    // 400,000 rounds take longer than one slice of the event loop on any machine.
    const costly = '{{ range until 800 }}{{ range until 500 }}{{ end }}{{ end }}';
    const config = { templateMaxNodes: 10_000_000, templateMaxTimeMs: 60_000 };
    const mark = (args: JsonObject) => ({ id: 'm', tool: 'x_mark', args });
    const many = {
      id: 'each',
      forEach: { items: [1, 2, 3, 4, 5, 6], concurrency: 6, steps: [mark({ costly })] },
    };
    await ran({ steps: [many] }, {}, { tools, config });
    expect(new Set(turnsOfCalls).size).to.equal(6);
    turnsOfCalls.length = 0;
    const costlyStep = {
      ...mark({ list: Array(6).fill(costly) }),
      condition: { all: Array(6).fill(`${costly}true`) },
      outputs: { a: costly, b: costly },
    };
    await ran(
      {
        steps: [{ ...mark({}), id: 'first' }, costlyStep],
        output: { c: costly, d: [costly] },
        finally: [{ ...mark({}), id: 'last' }],
      },
      {},
      { tools, config },
    );
    const [first = 0, second = 0, last = 0] = turnsOfCalls;
    expect(second - first).to.be.at.least(11);
    expect(last - second).to.be.at.least(4);
  });

  it('yield the event loop in a long loop without templates', async () => {
    const items = Array.from({ length: 1_000 }, (_, at) => at);
    const loop = { id: 'each', forEach: { items, steps: [{ ...echo('s'), condition: 'false' }] } };
    const board = await bootBoard({ files: file('w', { steps: [loop] }) });
    const { count } = await turnsDuring(() => run(board, 'w'));
    expect(count).to.be.at.least(2);
  });

  it('name the type of items that are not a list, and the number when there are too many', async () => {
    const loop = (items: unknown, more: JsonObject = {}) => ({
      steps: [{ id: 'each', forEach: { items, ...more, steps: [echo('s')] } }],
    });
    const text = await ran(loop('{{ .input.x }}'), { x: 'text' });
    expect(text.document['error']).to.deep.include({ step: 'each' });
    expect(String(text.steps[0]?.['error'])).to.equal(
      'forEach step each: items expression "{{ .input.x }}" resolved to string, expected a list',
    );
    const many = await ran(loop([1, 2, 3], { max_items: 2 }));
    expect(String(many.steps[0]?.['error'])).to.contain('3 items exceed maxItems (2)');
    const none = await ran(loop([]));
    expect(none.document).to.include({ status: 'completed' });
    expect(none.steps).to.deep.equal([]);
  });

  it('stop a loop at a failure, which its allow_failure tolerates', async () => {
    const spec = (more: JsonObject) => ({
      steps: [
        { id: 'each', ...more, forEach: { items: [1, 2], steps: [{ id: 'f', tool: 'x_fail' }] } },
        echo('after', { status: '{{ .steps.each.status }}' }),
      ],
    });
    const strict = await ran(spec({}));
    expect(shown(strict.steps)).to.deep.equal(['f failed']);
    const lenient = await ran(spec({ allow_failure: true }));
    expect(shown(lenient.steps)).to.deep.equal(['f failed', 'after completed']);
    expect(lenient.steps[1]?.['result']).to.deep.equal({ status: 'failed' });
  });

  it('run the steps of a group at once, keep the results of the others when one fails, and fail', async () => {
    const group = (more: JsonObject) => ({
      steps: [
        {
          id: 'g',
          ...more,
          parallel: [echo('a', { n: 1 }), { id: 'b', tool: 'x_fail' }, echo('c', { n: 3 })],
        },
        echo('after', { a: '{{ .results.a.n }}', g: '{{ .results.g }}' }),
      ],
    });
    const strict = await ran(group({}));
    expect(strict.document).to.include({ status: 'failed' });
    expect(strict.document['error']).to.deep.include({
      step: 'b',
      tool: 'x_fail',
      message: 'step b failed: it broke',
    });
    expect(shown(strict.steps)).to.deep.equal(['a completed', 'b failed', 'c completed']);
    const lenient = await ran(group({ allowFailure: true }));
    expect(lenient.steps.at(-1)?.['result']).to.deep.equal({
      a: 1,
      g: { a: { n: 1 }, b: { error: 'it broke', success: false, isError: true }, c: { n: 3 } },
    });
  });

  it('skip a whole loop or group by its condition', async () => {
    const { steps } = await ran({
      steps: [
        { id: 'g', condition: 'false', parallel: [echo('a')] },
        { id: 'e', condition: 'false', forEach: { items: [1], steps: [echo('b')] } },
      ],
    });
    expect(shown(steps)).to.deep.equal(['g skipped', 'e skipped']);
    expect(steps[0]).to.include({ tool: '', condition_evaluation: false });
  });
});

describe('plugins/workflow: arguments', () => {
  const args = {
    name: { type: 'string', required: true },
    n: { type: 'integer', default: 3 },
    size: { type: 'string', enum: ['s', 'l'] },
  };
  const spec = { args, steps: [echo('e', { in: '{{ .input }}' })], onFailure: [echo('never')] };

  it('are all checked at once, and the run is recorded', async () => {
    const { document, board } = await ran(spec, { n: 1.5, size: 'm' });
    expect(document).to.include({ status: 'failed' });
    expect(document['error']).to.deep.equal({
      message:
        "input validation failed: required field 'name' is missing; field 'n' has wrong type, expected integer; field 'size' must be one of \"s\", \"l\"",
    });
    expect(document['steps']).to.deep.equal([]);
    expect([...board.stored.keys()].filter((key) => key.startsWith('execution:'))).to.have.length(1);
  });

  it('get their defaults, are absent when optional and null, and are passed on when unknown', async () => {
    const { steps } = await ran(spec, { name: 'x', size: null, extra: [1] });
    expect(steps[0]?.['result']).to.deep.equal({ in: { name: 'x', extra: [1], n: 3 } });
  });

  it('marked sensitive are masked in answers, records and events, and still reach the tool', async () => {
    const secret = 'hunter2-secret';
    const { document, board } = await ran(
      {
        args: { key: { type: 'string', required: true, sensitive: true } },
        steps: [{ id: 'a', tool: 'x_fail', args: { text: 'no entry with {{ .input.key }}' } }],
      },
      { key: secret },
    );
    expect(board.calls[0]).to.contain(secret);
    expect(document['input']).to.deep.equal({ key: '[redacted]' });
    expect(JSON.stringify([...board.stored.values()]))
      .to.contain('no entry with [redacted]')
      .and.not.contain(secret);
    const told = board.events.filter(({ type }) => type.startsWith('workflow.'));
    expect(JSON.stringify(told)).to.contain('[redacted]').and.not.contain(secret);
  });

  it('marked sensitive are masked before a message is cut', async () => {
    const key = 'hunter2-'.repeat(20);
    const args = { key: { type: 'string', required: true, sensitive: true } };
    for (const failing of [
      { id: 'a', tool: 'x_sized', args: { size: '{{ .input.key }}' } },
      { id: 'a', tool: 'x_fail', condition: '{{ .input.key }}' },
    ]) {
      const tool = toolOf('x_sized', {
        inputSchema: { type: 'object', properties: { size: { type: 'integer' } } },
      });
      const board = await bootBoard({ tools: [tool], files: file('w', { args, steps: [failing] }) });
      const document = await run(board, 'w', { key });
      expect(JSON.stringify(document)).to.contain('[redacted]').and.not.contain('hunter2');
    }
  });
});
