import { expect } from 'chai';
import type { Tool } from '../../../../kernel/contracts/call.ts';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import { messageOf } from '../../../../kernel/errors.ts';
import { textResult } from '../../../../kernel/lib/results.ts';
import { callCore } from '../../../support/coreTools.ts';
import { bootBoard, run } from '../board.ts';
import type { Board } from '../board.ts';

function toolOf(
  name: string,
  properties: JsonObject,
  required: readonly string[],
  more: Partial<Tool> = {},
): Tool {
  return {
    name,
    kind: 'tool',
    description: name,
    inputSchema: { type: 'object', properties, required },
    invoke: () => textResult('done'),
    ...more,
  };
}
const TOOLS: readonly Tool[] = [
  toolOf('x_files_read_text_file', { path: { type: 'string' }, head: { type: 'number' } }, ['path'], {
    annotations: { readOnlyHint: true },
    declared: { outputSchema: { type: 'object', properties: { content: { type: 'string' } } } },
  }),
  toolOf('x_mail_send', { to: { type: 'string' }, text: { type: 'string' }, urgent: { type: 'boolean' } }, [
    'to',
  ]),
];

const READ = 'x_files_read_text_file';
const ARGS = { path: { type: 'string', required: true }, list: { type: 'array', required: true } };
const SOURCE = { id: 'fetch', tool: READ, args: { path: '{{ .input.path }}' } };
/** A definition that is right but for what is given. */
const of = (more: JsonObject): JsonObject => ({ args: ARGS, steps: [SOURCE], ...more });
/** The same with a second step. */
const step = (more: JsonObject): JsonObject =>
  of({ steps: [SOURCE, { id: 'send', tool: 'x_mail_send', args: { to: 'a' }, ...more }] });
/** The same with an argument of the second step. */
const text = (template: string): JsonObject => step({ args: { to: 'a', text: template } });
const bare = (more: JsonObject): JsonObject => of({ steps: [{ id: 'fetch', ...more }] });

/** Each slip of a model with the words in the answer by which one more turn suffices. */
const SLIPS: readonly (readonly [what: string, definition: JsonObject, words: readonly string[]])[] = [
  // Keys of other workflow languages.
  [
    '`uses` and `with` of GitHub Actions',
    bare({ uses: READ, with: { path: 'a' } }),
    ['step fetch: unknown key "uses"; write tool', 'unknown key "with"; write args'],
  ],
  [
    '`inputs` of a workflow',
    { inputs: ARGS, steps: [SOURCE] },
    ['unknown key "inputs"; write args: {path: {type: string, required: true}}'],
  ],
  [
    '`parameters` of a workflow',
    { parameters: ARGS, steps: [SOURCE] },
    ['unknown key "parameters"; write args'],
  ],
  [
    '`params` of a step',
    step({ args: undefined, params: { to: 'a' } }),
    ['step send: unknown key "params"; write args: {'],
  ],
  [
    '`arguments` of a step',
    bare({ tool: READ, arguments: { path: 'a' } }),
    ['step fetch: unknown key "arguments"; write args: {'],
  ],
  [
    '`inputSchema` of a workflow',
    { inputSchema: { type: 'object', properties: ARGS }, steps: [SOURCE] },
    ['unknown key "inputSchema"; write args'],
  ],
  [
    'a JSON Schema as args',
    of({ args: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } }),
    ['args are not a JSON Schema; write each of its properties below args'],
  ],
  [
    '`if` of a step',
    step({ if: '{{ .input.path }}' }),
    [`step send: unknown key "if"; write condition: '{{ eq`],
  ],
  ['`when` of a step', step({ when: 'input.path' }), ['step send: unknown key "when"; write condition']],
  [
    '`dependsOn`',
    step({ dependsOn: ['fetch'] }),
    ['step send: unknown key "dependsOn"; leave it out: steps run in order'],
  ],
  ['`needs`', step({ needs: 'fetch' }), ['step send: unknown key "needs"; leave it out: steps run in order']],
  [
    'a resource of an orchestrator',
    { apiVersion: 'pegboard.dev/v1alpha1', kind: 'Workflow', metadata: { name: 'w' }, spec: of({}) },
    [
      'unknown key "apiVersion"; leave it out',
      'unknown key "spec"; write its fields beside name: steps, args, output',
    ],
  ],
  ['a text of YAML', { yaml: 'steps: []' }, ['unknown key "yaml"; give the fields themselves']],
  [
    '`definition` around it',
    { definition: of({}) },
    ['unknown key "definition"; write its fields beside name'],
  ],
  [
    '`action` in place of tool',
    bare({ action: READ }),
    ['step fetch: unknown key "action"; write tool: with the exact name'],
  ],
  ['`tasks` in place of steps', { tasks: [SOURCE] }, ['unknown key "tasks"; write steps: [{id']],
  [
    '`name` in place of id',
    of({ steps: [{ name: 'fetch', tool: READ, args: { path: 'a' } }] }),
    ['step 0: unknown key "name"; write id'],
  ],
  [
    '`server` beside a tool',
    bare({ server: 'files', tool: 'read_text_file' }),
    [
      'unknown key "server"; leave it out: the name of the tool has the server in it',
      `did you mean ${READ}?`,
    ],
  ],
  [
    '`continueOnError`',
    step({ continueOnError: true }),
    ['step send: unknown key "continueOnError"; write allowFailure: true'],
  ],
  ['`retries`', step({ retries: 3 }), ['step send: unknown key "retries"; write retry: {max: 3}']],
  ['`onError` of a workflow', of({ onError: [SOURCE] }), ['unknown key "onError"; write onFailure: [steps]']],
  [
    '`outputs` of a workflow',
    of({ outputs: { a: '{{ .results.fetch }}' } }),
    ['unknown key "outputs"; write output: {'],
  ],
  [
    '`foreach` with `in` and `do`',
    bare({ forEach: { in: '{{ .input.list }}', do: [SOURCE] } }),
    [
      'step fetch: unknown key "in"; write items: "{{ .input.list }}"',
      'unknown key "do"; write steps: [{id: one',
    ],
  ],
  [
    '`loop` of a step',
    step({ loop: '{{ .input.list }}' }),
    ['unknown key "loop"; write forEach: {items: "{{ .input.list }}", steps:'],
  ],
  [
    'a loop in a loop',
    bare({
      forEach: {
        items: '{{ .input.list }}',
        steps: [{ id: 'in', forEach: { items: [1], steps: [SOURCE] } }],
      },
    }),
    [
      'step in: unknown key "forEach"; loops and groups, onFailure and finally hold tools only; call a workflow of its own',
    ],
  ],
  [
    '`register` of a result',
    step({ register: 'sent' }),
    ['unknown key "register"; the result is kept as .results.<id>; for a part of it, write outputs'],
  ],
  [
    '`attempts` of a retry',
    step({ retry: { attempts: 3 } }),
    ['step send: unknown key "attempts"; write max: 3'],
  ],
  // Wrong types and forms.
  [
    'steps as a map',
    of({ steps: { fetch: { tool: READ } } }),
    ['steps must be an array, not an object; write a list, steps: [{id: read, tool: x_server_tool'],
  ],
  [
    'args as a list',
    of({ args: [{ name: 'path', type: 'string' }] }),
    ['args must be an object, not a list; write args: {path: {type: string'],
  ],
  [
    'an argument as a type name',
    of({ args: { path: 'string', list: { type: 'array' } } }),
    ['args.path must be an object, not "string"; write path: {type: string, required: true}'],
  ],
  [
    'the type `str`',
    of({ args: { ...ARGS, path: { type: 'str', required: true } } }),
    ['args.path.type must be one of the enum values "string"'],
  ],
  [
    'args of a step as a list',
    step({ args: ['a'] }),
    ['step send: args must be an object or a null, not a list; write args: {'],
  ],
  [
    'a number of retries',
    step({ retry: 3 }),
    ['step send: retry must be an object, not 3; write retry: {max: 3'],
  ],
  [
    'a time-out in words',
    step({ timeout: '30 seconds' }),
    ['step 1 (send): timeout must be seconds or a text such as 30s'],
  ],
  [
    'a time-out in milliseconds',
    step({ timeout: 30_000 }),
    ['step send: timeout: 30000 means seconds; for milliseconds write 30000ms'],
  ],
  [
    'an id with a space',
    of({ steps: [{ ...SOURCE, id: 'read it' }] }),
    ['id "read it" is not allowed; use at most 63 letters, digits, "_" and "-"'],
  ],
  [
    'an output of text',
    of({ output: '{{ .results.fetch }}' }),
    ['output must be an object, not "{{ .results.fetch }}"; write an object, output: {text:'],
  ],
  [
    'a name for the output of a step',
    step({ output: 'sent' }),
    ['step send: output must be a boolean or a null, not "sent"; write output: true', 'outputs: {name:'],
  ],
  [
    'a loop as text',
    of({ steps: [{ id: 'each', forEach: '{{ .input.list }}' }] }),
    ['step each: forEach must be an object, not "{{ .input.list }}"; write forEach: {items:'],
  ],
  // Templates of other languages.
  [
    '`${{ }}`',
    text('${{ .input.path }}'),
    ['step send: text: the $ before {{ is sent as well; write {{ … }}'],
  ],
  [
    '`${{ inputs }}`',
    text('${{ inputs.path }}'),
    ['step send: text', '${{ inputs.path }}', 'write {{ .input.path }}'],
  ],
  [
    '`${input.x}`',
    text('${input.path}'),
    [`step send: text: "\${input.path}" is sent as it is; write '{{ .input.path }}'`],
  ],
  ['`$.input.x`', text('$.input.path'), [`"$.input.path" is sent as it is; write '{{ .input.path }}'`]],
  ['`$steps.x.output`', text('$steps.fetch.output.content'), [`write '{{ .results.fetch.content }}'`]],
  ['`{input.x}`', text('Hello {input.path}'), [`"{input.path}" is sent as it is; write '{{ .input.path }}'`]],
  ['a path without braces', text('.results.fetch.content'), [`write '{{ .results.fetch.content }}'`]],
  [
    'a filter of Jinja',
    text('{{ path | default("y") }}'),
    ['in {{ path | default("y") }}; a path begins with a dot: write {{ .input.path }}'],
  ],
  [
    'a statement of Jinja',
    text('{% if path %}a{% endif %}'),
    ['{% … %} is sent as it is; write {{ if .input.name }}…{{ end }}'],
  ],
  [
    '`{{ input.x }}` without a dot',
    text('{{ input.path }}'),
    ['step send: text: invalid template', 'in {{ input.path }}', 'write {{ .input.path }}'],
  ],
  [
    '`{{ steps.x.output }}` without a dot',
    text('{{ steps.fetch.output.content }}'),
    ['write {{ .results.fetch.content }}'],
  ],
  [
    'an operator',
    text('{{ if .input.path == "a" }}b{{ end }}'),
    ['functions stand before their values: write eq .input.path "a"'],
  ],
  [
    'a ternary',
    text('{{ .input.path ? "a" : "b" }}'),
    ['write {{ if … }}a{{ else }}b{{ end }}, or ternary "a" "b" CONDITION'],
  ],
  [
    'a method',
    text('{{ .input.path.toUpperCase() }}'),
    ['there are no methods: write {{ .input.path | upper }}'],
  ],
  ['single quotes', text(`{{ default 'none' .input.path }}`), ['write texts in double quotes, "x"']],
  [
    'blocks of Handlebars',
    text('{{#each input.list}}{{this}}{{/each}}'),
    ['{{ range .input.list }}{{ . }}{{ end }}'],
  ],
  // Names that are nearly right.
  [
    'the root `.inputs`',
    text('{{ .inputs.path }}'),
    ['step send: text: .inputs is unknown; write .input.path'],
  ],
  [
    'the root `.reslts`',
    text('{{ .reslts.fetch.content }}'),
    ['.reslts is unknown; write .results.fetch.content'],
  ],
  [
    'an input',
    text('{{ .input.pth }}'),
    ['.input.pth is not declared below args; did you mean .input.path?'],
  ],
  [
    'a step',
    text('{{ .results.fecth.content }}'),
    ['.results.fecth refers to a step that does not exist; did you mean .results.fetch?'],
  ],
  ['an input without its root', text('{{ .path }}'), ['.path is unknown; write .input.path']],
  ['a function', text('{{ .input.path | uper }}'), ['in {{ .input.path | uper }}; did you mean upper?']],
  [
    'a function of JavaScript',
    text('{{ JSON.stringify(.results.fetch) }}'),
    ['did you mean toJson? write {{ .input.name | toJson }}'],
  ],
  [
    'a hyphen',
    of({
      steps: [
        { ...SOURCE, id: 'get-it' },
        { id: 'send', tool: 'x_mail_send', args: { to: 'Dear {{ .results.get-it.content }}' } },
      ],
    }),
    ['write {{ index .results "get-it" "content" }}'],
  ],
  ['an index in a text', text('first: {{ .input.list[0] }}'), ['write {{ index .input.list 0 }}']],
  [
    '`.item` of a loop',
    bare({
      forEach: {
        items: '{{ .input.list }}',
        steps: [{ id: 'one', tool: READ, args: { path: '{{ .item }}' } }],
      },
    }),
    ['step one: path: .item is unknown; write .vars.item'],
  ],
  [
    '`.steps.x.output`',
    text('{{ .steps.fetch.output.content }}'),
    ['.steps.fetch has a status only; write .results.fetch.content'],
  ],
  [
    'a field that the result has not',
    text('{{ .results.fetch.contents }}'),
    [`the result of ${READ} has no contents; did you mean .results.fetch.content?`],
  ],
  [
    'a later step',
    of({
      steps: [{ id: 'send', tool: 'x_mail_send', args: { to: '{{ .results.fetch.content }}' } }, SOURCE],
    }),
    ['.results.fetch refers to a step that has not run by then'],
  ],
  [
    '`.result` outside of outputs',
    text('{{ .result.content }}'),
    ['.result is there in outputs only; write .results.fetch.content'],
  ],
  // Conditions.
  [
    'a condition that is an expression',
    step({ condition: 'input.path == "x"' }),
    ['step 1 (send): condition: this text is neither true nor false', `'{{ eq .input.name "x" }}'`],
  ],
  [
    'a comparison beside the braces',
    step({ condition: '{{ .input.path }} == "x"' }),
    ['step send: condition:', 'outside of {{ }} is printed too', `'{{ eq .input.name "x" }}'`],
  ],
  [
    'a text as a condition',
    step({ condition: '{{ .input.path }}' }),
    ['.input.path is of type string, and must be true or false', '{{ not (empty .input.path) }}'],
  ],
  [
    'an operator in a condition',
    step({ condition: { left: '{{ .input.path }}', operator: 'eq', right: 'x' } }),
    [`step send: unknown key "left"; write template: '{{ eq .input.name "x" }}'`],
  ],
  [
    'a path of JSONPath',
    step({ condition: { fromStep: 'fetch', expect: { jsonPath: { '$.content': 'x' } } } }),
    ['a path begins with the first field; write content, not $.content'],
  ],
  [
    '`equals` in expect',
    step({ condition: { fromStep: 'fetch', expect: { equals: 'x' } } }),
    ['step send: unknown key "equals"; write jsonPath: {status: done}'],
  ],
  [
    'a condition on a step that is not there',
    step({ condition: { fromStep: 'fech' } }),
    ['condition.fromStep names step fech, which does not exist; did you mean fetch?'],
  ],
  // Tools and their arguments.
  [
    'a tool without its prefix',
    bare({ tool: 'read_text_file', args: { path: 'a' } }),
    ['step fetch: tool read_text_file is missing', `did you mean ${READ}?`],
  ],
  [
    'a meta-tool as a tool',
    bare({ tool: 'call_tool', args: { name: READ } }),
    ['step fetch: tool call_tool is missing'],
  ],
  [
    'a wrong argument',
    bare({ tool: READ, args: { file: '{{ .input.path }}' } }),
    [`step fetch: no argument file, did you mean path? by the schema of ${READ}`],
  ],
  ['a missing argument', bare({ tool: READ }), ['step fetch: argument path is missing']],
  [
    'an argument of a wrong type',
    bare({ tool: READ, args: { path: 'a', head: 'ten' } }),
    ['argument head must be of type number, not string'],
  ],
  // Other engines.
  ['a node of n8n', text('{{ $node["fetch"].json.content }}'), ['write {{ .results.fetch.content }}']],
  ['a parameter of Argo', text('{{inputs.parameters.path}}'), ['write {{ .input.path }}']],
  ['a task of Tekton', text('$(tasks.fetch.results.content)'), [`write '{{ .results.fetch.content }}'`]],
  ['a variable of Azure', text("@{parameters('path')}"), [`write '{{ .input.path }}'`]],
  [
    'a loop of Jinja',
    text('{% for i in results.fetch %}{{ i }}{% endfor %}'),
    ['{{ range .input.list }}{{ . }}{{ end }}'],
  ],
  [
    'a filter of Jinja with an argument',
    text('{{ .input.list | join(", ") }}'),
    ['arguments follow without parentheses and commas: write | join ", "'],
  ],
  ['a result by a call', text('{{ results("fetch") }}'), ['write {{ .results.fetch }}']],
  ['texts that are added', text('{{ "a" + .input.path }}'), ['write printf "%s%s" "a" .input.path']],
  ['a secret', text('{{ secrets.TOKEN }}'), ['take an argument with sensitive: true below args']],
  [
    'the length of a list',
    text('{{ .input.list.length }}'),
    ['for the number of items write len .input.list'],
  ],
  ['a step as a text', text('{{ index .results "fecth" }}'), ['did you mean .results.fetch?']],
  [
    'a status that no step has',
    step({ condition: '{{ eq .steps.fetch.status "success" }}' }),
    ['the status of a step is completed, failed, skipped, and never success'],
  ],
  [
    'a number as a condition',
    step({ condition: '{{ len .input.list }}' }),
    [`this prints a number; write '{{ gt (len .input.list) 0 }}'`],
  ],
  [
    'items without a template',
    bare({ forEach: { items: 'paths', steps: [{ id: 'one', tool: 'x_echo' }] } }),
    ['step fetch: items: a text is not a list; write a template that gives one'],
  ],
  [
    'a tool by a template',
    bare({ tool: '{{ .input.path }}' }),
    ['the name of a tool cannot be a template; write one step for each tool, with a condition'],
  ],
  [
    'a list of required arguments',
    of({ args: { ...ARGS, required: ['path'] } }),
    ['args.required must be an object, not a list; write required: true at each argument'],
  ],
  [
    'arguments of the tool beside it',
    bare({ tool: READ, path: 'a' }),
    ['step fetch: unknown key "path"; if it is an argument of the tool, write it below args'],
  ],
  [
    'an argument of the tool with the name of another key',
    bare({ tool: READ, name: 'a' }),
    ['unknown key "name"; if it is an argument of the tool, write it below args'],
  ],
  [
    'code in a step',
    bare({ code: 'return 1' }),
    ['unknown key "code"; write tool: with the exact name: a step calls one tool and does nothing else'],
  ],
  [
    'steps as names',
    of({ steps: ['fetch'] }),
    ['step 0: it must be an object, not "fetch"; write {id: read, tool: x_server_tool'],
  ],
  ['a result of Airflow', text("{{ ti.xcom_pull('fetch') }}"), ['write {{ .results.fetch }}']],
  ['a result of Prefect', text('{{ fetch.result() }}'), ['write {{ .results.fetch }}']],
  ['a variable of Dify', text('{{#fetch.content#}}'), ['write {{ .results.fetch.content }}']],
  ['a part of a text', text('{{ .input.path[0:5] }}'), ['write substr 0 5 TEXT']],
  ['all items', text('{{ .input.list[*].name }}'), ['write {{ range .input.list }}{{ .name }}{{ end }}']],
  ['a comparison with null', step({ condition: '{{ .input.path != null }}' }), ['write ne .input.path ""']],
];

async function answerTo(board: Board, definition: JsonObject): Promise<string> {
  try {
    const { content } = await callCore(board, 'core_workflow_create', { name: 'w', ...definition });
    await callCore(board, 'core_workflow_delete', { name: 'w' });
    return String(content[0]?.['text']);
  } catch (error) {
    return messageOf(error);
  }
}

describe('plugins/workflow: slips of a model that writes a workflow', () => {
  let board: Board;
  before(async () => {
    board = await bootBoard({ tools: TOOLS });
  });

  it('leave a definition that is right without a word', async () => {
    for (const right of [
      of({}),
      step({ retry: { max: 1, on: ['isError'] } }),
      text('{{ .results.fetch.content | upper }} for $5 {x}'),
    ])
      expect(JSON.parse(await answerTo(board, right))).not.to.have.property('warnings');
  });

  for (const [what, definition, words] of SLIPS) {
    it(`are answered with what to write: ${what}`, async () => {
      const answer = (await answerTo(board, definition)).replaceAll('\\"', '"');
      for (const word of words) expect(answer).to.contain(word);
    });
  }
});

/** What is right in itself and fails or surprises in some runs, with words of the warning. */
const HAZARDS: readonly (readonly [what: string, definition: JsonObject, word: string])[] = [
  [
    'two members of a group that bind the same variable',
    of({
      steps: [
        {
          id: 'both',
          parallel: [
            { ...SOURCE, outputs: { text: '{{ .result.content }}' } },
            { ...SOURCE, id: 'again', outputs: { text: '{{ .result.content }}' } },
          ],
        },
      ],
    }),
    'step both: fetch and again both bind .vars.text, and the last one wins; give them different names',
  ],
  [
    'a retry of a tool that may do its work twice',
    step({ retry: { max: 2 } }),
    'step send: retry calls x_mail_send again after a time-out or a lost connection too',
  ],
  [
    'an output of a step that may be skipped',
    { ...step({ condition: '{{ eq .input.path "a" }}' }), output: { sent: '{{ .results.send.id }}' } },
    'output: sent: step send has a condition, and if it is skipped, .results.send fails; write {{ get .results "send" }}',
  ],
  [
    'an output of a step of a group that may be skipped',
    of({
      steps: [{ id: 'both', condition: '{{ eq .input.path "a" }}', parallel: [SOURCE] }],
      output: { text: 'It is {{ .results.fetch.content }}' },
    }),
    'output: text: step fetch has a condition',
  ],
  [
    'an output of a step of clean-up, which runs after the answer',
    of({
      finally: [{ id: 'end', tool: 'x_mail_send', args: { to: 'a' } }],
      output: { end: '{{ .results.end }}' },
    }),
    'output: end: .results.end refers to a step that has not run by then',
  ],
];

describe('plugins/workflow: hazards of a definition', () => {
  let board: Board;
  before(async () => {
    board = await bootBoard({ tools: TOOLS });
  });

  for (const [what, definition, word] of HAZARDS) {
    it(`are accepted with a warning: ${what}`, async () => {
      const { warnings } = JSON.parse(await answerTo(board, definition)) as {
        warnings: { message: string }[];
      };
      expect(warnings.map(({ message }) => message).join('\n')).to.contain(word);
    });
  }

  it('are accepted without a warning if the definition deals with them', async () => {
    const condition = '{{ eq .input.path "a" }}';
    const safe: readonly JsonObject[] = [
      step({ retry: { max: 2, on: ['isError'] } }),
      of({ steps: [{ ...SOURCE, retry: { max: 2 } }] }),
      {
        ...step({ condition }),
        output: { sent: '{{ get .results "send" }}', how: '{{ .steps.send.status }}' },
      },
      {
        ...step({ condition }),
        output: { sent: '{{ if eq .steps.send.status "completed" }}{{ .results.send }}{{ end }}' },
      },
    ];
    for (const definition of safe)
      expect(JSON.parse(await answerTo(board, definition))).not.to.have.property('warnings');
  });

  it('come in a moment for long templates', async () => {
    const long = `{{ .x , ${'a'.repeat(3900)} }}`;
    const steps = Array.from({ length: 20 }, (_, at) => ({ id: `s${at}`, tool: READ, args: { path: long } }));
    const began = performance.now();
    await answerTo(board, { steps });
    expect(performance.now() - began).to.be.lessThan(2000);
  });

  it('come in a moment for many tools that are missing', async () => {
    const steps = Array.from({ length: 2000 }, (_, at) => ({ id: `s${at}`, tool: `x_no_${at}` }));
    const began = performance.now();
    await answerTo(board, { steps });
    expect(performance.now() - began).to.be.lessThan(4000);
  });

  it('are not seen in arguments that are right, and are at most a hundred', async () => {
    const inputSchema = {
      type: 'object',
      properties: {
        pair: { enum: [['a', 'b']] },
        odd: { type: 'text' },
        many: { items: { type: 'string' } },
      },
      patternProperties: { '^x-': { type: 'string' } },
      additionalProperties: false,
    };
    const other = await bootBoard({ tools: [toolOf('x_open', {}, [], { inputSchema })] });
    const warningsFor = async (args: JsonObject): Promise<unknown> =>
      JSON.parse(await answerTo(other, { steps: [{ id: 'a', tool: 'x_open', args }] })) as unknown;
    expect(await warningsFor({ pair: ['a', 'b'], odd: 'x', 'x-a': 'b' })).not.to.have.property('warnings');
    const many = Array.from({ length: 500 }, () => 1);
    expect(await warningsFor({ many }))
      .to.have.property('warnings')
      .with.length(100);
  });

  it('fail with what to write: a loop over nil', async () => {
    const items = '{{ .results.none }}';
    const steps = [
      { id: 'none', tool: 'x_nothing' },
      { id: 'each', forEach: { items, steps: [{ id: 'one', tool: 'x_echo' }] } },
    ];
    await callCore(board, 'core_workflow_create', { name: 'nil', steps });
    const document = await run(board, 'nil');
    expect(JSON.stringify(document)).to.contain(
      "resolved to nil; if that means no items, write '{{ .results.none | default list }}'",
    );
    const mended = [
      steps[0],
      { id: 'each', forEach: { ...steps[1]?.forEach, items: '{{ .results.none | default list }}' } },
    ];
    await callCore(board, 'core_workflow_update', { name: 'nil', steps: mended });
    expect(await run(board, 'nil')).to.include({ status: 'completed' });
  });

  it('send a text that is true or false as a boolean where the schema wants one', async () => {
    const urgent = '{{ if eq .input.path "a" }}true{{ else }}false{{ end }}';
    const sent: unknown[] = [];
    const tool = toolOf('x_mark', { urgent: { type: 'boolean' } }, [], {
      invoke: (args) => {
        sent.push(args['urgent']);
        return textResult('done');
      },
    });
    const other = await bootBoard({ tools: [tool] });
    const steps = [{ id: 'mark', tool: 'x_mark', args: { urgent } }];
    await callCore(other, 'core_workflow_create', { name: 'marks', args: ARGS, steps });
    for (const path of ['a', 'b']) await run(other, 'marks', { path, list: [] });
    expect(sent).to.deep.equal([true, false]);
  });
});
