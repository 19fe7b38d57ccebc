import { expect } from 'chai';
import fc from 'fast-check';
import { ServiceSource } from '../../../plugins/contracts/services.ts';
import type { JsonObject } from '../../../kernel/contracts/json.ts';
import { plugin } from '../../../plugins/metatools/index.ts';
import { refusalOf, toolOf } from '../../support/kernel.ts';
import { requestOf } from '../../support/requests.ts';
import { turnsDuring } from '../../support/turns.ts';
import { boardOf, namesIn, serverTool } from './board.ts';
import type { Board } from './board.ts';

const THIRTEEN = [
  'filter_tools',
  'call_tool',
  'describe_tool',
  'list_tools',
  'list_core_tools',
  'list_resources',
  'describe_resource',
  'get_resource',
  'list_prompts',
  'describe_prompt',
  'get_prompt',
  'get_result',
  'explain_tool',
];
const many = (count: number) =>
  Array.from({ length: count }, (_, at) => serverTool('files', `tool${String(at).padStart(4, '0')}`));

describe('metatools: the catalogue', () => {
  it('lists the thirteen meta-tools in a stable order, complete and annotated', async () => {
    const { kernel } = await boardOf();
    const tools = kernel.catalogue.metaTools();
    expect(tools.map(({ name }) => name)).to.deep.equal(THIRTEEN);
    for (const { inputSchema, annotations, description } of tools) {
      expect(inputSchema['type']).to.equal('object');
      expect(inputSchema).to.include({ additionalProperties: false });
      expect(annotations).to.include.keys(
        'readOnlyHint',
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
      );
      for (const property of Object.values(inputSchema['properties'] as Record<string, object>)) {
        expect(property).to.include.keys('type', 'description');
      }
      expect(description).not.to.equal('');
    }
    const readers = tools.filter(({ annotations }) => annotations?.readOnlyHint === true);
    expect(readers).to.have.length(12);
  });

  it('describes all thirteen in fewer than 2,800 characters', async () => {
    const { kernel } = await boardOf();
    const text = kernel.catalogue.metaTools().map(({ name, description }) => `${name} ${description}`);
    expect(text.join('').length).to.be.lessThan(2_800);
  });

  it('has a description and a default for every key of its configuration', () => {
    const properties = plugin.configSchema['properties'] as Record<string, Record<string, unknown>>;
    for (const key of Object.values(properties)) expect(key).to.include.keys('description', 'default');
  });

  it('lists a page of short entries and reports that there are more', async () => {
    const board = await boardOf({ tools: many(137) });
    const page = await board.ask('list_tools');
    expect(page).to.deep.include({
      total: 137,
      total_tools: 137,
      filtered_count: 50,
      truncated: true,
      filters: { case_sensitive: false, include_schema: false, limit: 50, offset: 0 },
      servers_requiring_auth: [],
    });
    expect(page).not.to.have.property('toolset');
    expect(page.tools[0]).to.deep.equal({
      name: 'x_files_tool0000',
      summary: 'tool0000 of files',
      server: 'files',
      kind: 'tool',
    });
    const last = await board.ask('list_tools', { offset: 100 });
    expect(last).to.deep.include({ filtered_count: 37, truncated: false });
    expect(await board.ask('list_tools', { offset: 999 })).to.deep.include({ tools: [], truncated: false });
  });

  it('pages through all tools in one order, independent of the order of the servers', async () => {
    const tools = [
      ...many(23),
      toolOf('core_b', { kind: 'core' }),
      toolOf('workflow_a', { kind: 'workflow' }),
    ];
    const forward = await boardOf({ tools });
    const backward = await boardOf({ tools: [...tools].reverse() });
    const seen: string[] = [];
    for (let offset = 0; ; offset += 7) {
      const page = await forward.ask('list_tools', { limit: 7, offset });
      seen.push(...namesIn(page));
      if (page['truncated'] !== true) break;
    }
    expect(seen).to.have.length(25);
    expect(namesIn(await backward.ask('list_tools', { limit: 100 }))).to.deep.equal(seen);
  });

  it('truncates numbers toward zero and rejects invalid pages', async () => {
    const board = await boardOf({ tools: many(5) });
    expect((await board.ask('list_tools', { limit: 2.9 }))['filtered_count']).to.equal(2);
    const refusals = [
      [{ limit: 0.5 }, 'limit must be at least 1'],
      [{ limit: '5 tools' }, 'limit must be a number'],
      [{ offset: -1 }, 'offset must be at least 0'],
      [{ offset: [1] }, 'offset must be a number'],
    ] as const;
    for (const [args, message] of refusals) {
      const refusal = await refusalOf(() => board.call('list_tools', args));
      expect([refusal.code, refusal.message]).to.deep.equal(['TOOL_ARGUMENTS', message]);
    }
  });

  it('ends a page early at the byte limit and reports how many entries it holds', async () => {
    const tools = many(50).map((tool) => ({ ...tool, description: 'long '.repeat(400) }));
    const board = await boardOf({ tools, config: { maxPageBytes: 10_000 } });
    const page = await board.ask('filter_tools', { include_schema: true, limit: 50 });
    expect(page.tools.length).to.be.within(2, 5);
    expect(page).to.deep.include({ truncated: true, filtered_count: page.tools.length, total: 50 });
    expect(page['filters']).to.include({ limit: page.tools.length });
  });

  it('builds a long page in pieces from one snapshot, even if the catalogue changes meanwhile', async () => {
    const board = await boardOf({ tools: many(1_000) });
    const { catalogue } = board.kernel;
    for (const [name, args] of [
      ['list_tools', { limit: 1e9 }],
      ['filter_tools', { limit: 1e9, include_schema: true }],
      ['filter_tools', { limit: 1e9, description_filter: 'of files' }],
    ] as const) {
      const before = catalogue.generation;
      // Two turns later the page has been started.
      setImmediate(() => setImmediate(() => catalogue.add('test', serverTool('late', `tool${before}`))));
      const { value: page, count } = await turnsDuring(() => board.ask(name, args));
      expect(catalogue.generation).to.equal(before + 1);
      expect(count).to.be.at.least(10);
      expect(page).to.include({ filtered_count: page['total'], truncated: false });
      expect(namesIn(page).filter((one) => one.startsWith('x_files_'))).to.deep.equal(
        many(1_000).map((tool) => tool.name),
      );
    }
    expect(await board.ask('list_tools', {})).to.include({ total: 1_003 });
  });

  it('keeps the default page of 2,000 tools with long descriptions within 24 KB, without omitting a tool', async () => {
    const annotations = {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    };
    for (const description of ['words and '.repeat(500), '長い説明文です'.repeat(700)]) {
      const tools = Array.from({ length: 2_000 }, (_, at) =>
        serverTool('files', `tool_with_a_rather_long_name_that_says_a_lot_${at}`, {
          description,
          annotations,
        }),
      );
      const board = await boardOf({ tools });
      for (const name of ['list_tools', 'filter_tools']) {
        const { content } = await board.call(name, name === 'list_tools' ? {} : { query: 'words 長い' });
        expect(Buffer.byteLength(JSON.stringify(content))).to.be.at.most(24 * 1_024);
      }
      expect(await board.ask('list_tools')).to.include({ filtered_count: 50, total: 2_000, truncated: true });
    }
  });

  it('names the servers that require credentials, with the remedy', async () => {
    const status = (state: string) => ({
      service_type: 'MCPServer' as const,
      state,
      health: 'unknown',
      metadata: {},
    });
    const service = (name: string, state: string) => ({ name, status: () => ({ name, ...status(state) }) });
    const services = () => [service('crm', 'auth_required'), service('files', 'connected')];
    const board = await boardOf({
      provides: [ServiceSource],
      source: (scope) => scope.provide(ServiceSource, { services }),
    });
    const asked = await board.ask('list_tools', {}, { headers: { 'x-service-toolset': 'preset:none' } });
    expect(asked['servers_requiring_auth']).to.deep.equal([
      {
        name: 'crm',
        status: 'auth_required',
        remedy: 'set headers in its definition with core_mcpserver_update',
      },
    ]);
  });

  it('lists core tools as summaries, or in full on request', async () => {
    const core = toolOf('core_service_list', { kind: 'core', description: 'List services\nAll of them' });
    const board = await boardOf({ tools: [core, ...many(3)] });
    const short = await board.ask('list_core_tools');
    expect(short).to.deep.include({ total: 1, total_tools: 4, truncated: false });
    expect(short.tools).to.deep.equal([
      { name: 'core_service_list', summary: 'List services', kind: 'core' },
    ]);
    const answer = await board.ask('list_core_tools', { include_schema: true });
    expect(answer.tools).to.deep.equal([
      {
        name: 'core_service_list',
        description: 'List services\nAll of them',
        kind: 'core',
        inputSchema: { type: 'object' },
      },
    ]);
  });

  it('marks last known tools of an unreachable server as stale', async () => {
    const board = await boardOf({ tools: [serverTool('files', 'read', { isStale: () => true })] });
    expect((await board.ask('list_tools')).tools[0]).to.include({ stale: true });
    expect(await board.ask('describe_tool', { name: 'x_files_read' })).to.include({ stale: true });
  });

  describe('describe_tool', () => {
    const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
    const declared = { name: 'read', title: 'Read', outputSchema: { type: 'object' } };
    const annotations = { readOnlyHint: true, custom: 1 };
    const read = serverTool('files', 'read', { inputSchema, declared, annotations });

    it('returns everything that a call needs', async () => {
      const board = await boardOf({ tools: [read] });
      expect(await board.ask('describe_tool', { name: 'x_files_read' })).to.deep.equal({
        name: 'x_files_read',
        title: 'Read',
        description: 'read of files',
        server: 'files',
        kind: 'tool',
        annotations,
        inputSchema,
        outputSchema: { type: 'object' },
        invocation:
          'call_tool {"name":"x_files_read","arguments":{"path":"<string>"}}; tools in here are not callable by name directly',
      });
    });

    it('returns further fields that the server declares: execution, icons and _meta', async () => {
      const more = {
        execution: { taskSupport: 'optional' },
        icons: [{ src: 'https://a.test/icon.png' }],
        _meta: { 'a.test/kind': 1 },
      };
      const board = await boardOf({
        tools: [serverTool('files', 'read', { declared: { ...declared, ...more } })],
      });
      const shown = await board.ask('describe_tool', { name: 'x_files_read' });
      expect(shown).to.deep.include(more);
      expect(shown['invocation']).to.match(/^call_tool /);
    });

    it('reports that the page of a tool is not shown, beside its unchanged _meta', async () => {
      const page = { resourceUri: 'ui://a/page', visibility: ['model'] };
      const described = async (_meta: object): Promise<JsonObject> => {
        const board = await boardOf({
          tools: [serverTool('files', 'read', { declared: { ...declared, _meta } })],
        });
        return board.ask('describe_tool', { name: 'x_files_read' });
      };
      for (const _meta of [{ ui: page }, { 'ui/resourceUri': 'ui://a/page' }]) {
        const shown = await described(_meta);
        expect(shown).to.deep.include({ _meta });
        expect(shown['app']).to.match(/^its page is not shown: .*tools\/list/);
        expect(shown['invocation']).to.match(/^call_tool /);
      }
      for (const _meta of [{ ui: { visibility: ['model'] } }, { ui: 'ui://a/page' }, { 'a.test/ui': page }])
        expect(await described(_meta)).not.to.have.property('app');
    });

    it('reports that a tool cannot be called if its server runs it as a task only', async () => {
      const execution = { taskSupport: 'required' };
      const board = await boardOf({ tools: [serverTool('files', 'long', { declared: { execution } })] });
      const shown = await board.ask('describe_tool', { name: 'x_files_long' });
      expect(shown).to.deep.include({ execution });
      expect(shown['invocation']).to.match(/^cannot be called here: .*taskSupport.*no tasks here/);
      const explained = await board.ask('explain_tool', { name: 'x_files_long' });
      expect(explained).to.include({ visible: true, callable: false, how: shown['invocation'] });
    });

    it('rejects an unknown name, suggesting near ones, and a meta-tool, telling how to call it', async () => {
      const board = await boardOf({ tools: [read] });
      const unknown = await refusalOf(() => board.call('describe_tool', { name: 'files_read' }));
      expect([unknown.code, unknown.message]).to.deep.equal(['TOOL_NOT_FOUND', 'tool not found: files_read']);
      expect(unknown.details).to.deep.equal({ near: ['x_files_read'] });
      const meta = await refusalOf(() => board.call('describe_tool', { name: 'list_tools' }));
      expect(meta.message).to.match(/call it directly; it takes limit, offset, server$/);
      for (const args of [{}, { name: '' }, { name: 5 }]) {
        const refusal = await refusalOf(() => board.call('describe_tool', args));
        expect(refusal.message).to.match(/^name argument is required/);
      }
    });
  });

  describe('long schemas', () => {
    const long = (words: string): string => `${words} ${'and more of this '.repeat(40)}`;
    const constraints = { pattern: '^[a-z]+$', default: long('kept'), examples: [long('kept')], 'x-hint': 1 };
    const schemaOf = (count: number): JsonObject => ({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      title: long('The title'),
      properties: {
        description: { type: 'string', description: long('A property of that name'), ...constraints },
        kind: { enum: [long('a value'), 'b'], description: 'Short' },
        ...Object.fromEntries(
          Array.from({ length: count }, (_, at) => [
            `p${at}`,
            { type: ['string', 'null'], description: long(`P${at}`) },
          ]),
        ),
      },
      dependentSchemas: { title: { required: ['kind'], $comment: long('Why') } },
      additionalProperties: false,
      required: ['description'],
    });
    const [inputSchema, outputSchema] = [schemaOf(30), { ...schemaOf(5), additionalProperties: true }];
    const small = serverTool('files', 'small', {
      inputSchema: { type: 'object', description: long('Small') },
    });
    const large = serverTool('files', 'large', { inputSchema, declared: { name: 'large', outputSchema } });
    const core = toolOf('core_large', { kind: 'core', inputSchema, description: 'Large' });
    const WHOLE = 'describe_tool with full: true has them whole';
    let board: Board;
    beforeEach(async () => {
      board = await boardOf({ tools: [small, large, core] });
    });
    /** A schema without what only explains; members named so by its author stay. */
    const bare = (schema: unknown): unknown =>
      JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
        ['description', 'title', '$comment'].includes(key) && typeof value === 'string' ? undefined : value,
      );

    it('have shortened texts and the same constraints, which the answer says', async () => {
      const answers = [
        (await board.ask('filter_tools', { pattern: '*large*', include_schema: true })).tools,
        (await board.ask('list_core_tools', { include_schema: true })).tools,
        [await board.ask('describe_tool', { name: 'x_files_large' })],
      ];
      for (const shown of answers.flat()) {
        const schema = shown['inputSchema'] as JsonObject;
        expect(bare(schema)).to.deep.equal(bare(inputSchema));
        expect(JSON.stringify(schema).length).to.be.below(JSON.stringify(inputSchema).length / 3);
        const { p7 } = schema['properties'] as Record<string, JsonObject>;
        expect(p7?.['description']).to.match(/^P7 and more .*…$/);
        expect(shown['shortened'])
          .to.match(/^texts in inputSchema( and outputSchema)?; /)
          .and.include(WHOLE);
      }
      const [described] = answers[2] ?? [];
      expect(bare(described?.['outputSchema'])).to.deep.equal(bare(outputSchema));
    });

    it('are whole on request', async () => {
      const shown = await board.ask('describe_tool', { name: 'x_files_large', full: true });
      expect(shown).to.deep.include({ inputSchema, outputSchema });
      expect(shown).not.to.have.property('shortened');
    });

    it('keep texts as long as fit, and schemas of up to 2,000 bytes are unchanged', async () => {
      const shown = await board.ask('describe_tool', { name: 'x_files_small' });
      expect(shown['inputSchema']).to.deep.equal(small.inputSchema);
      expect(shown).not.to.have.property('shortened');
      const { p0, p1, p2 } = schemaOf(3)['properties'] as JsonObject;
      const three = serverTool('files', 'three', { inputSchema: { properties: { p0, p1, p2 } } });
      board.kernel.catalogue.add('test', three);
      const { inputSchema: fitting } = await board.ask('describe_tool', { name: 'x_files_three' });
      const texts = JSON.stringify(fitting).match(/P\d and more[^"]*/g) ?? [];
      expect(Math.max(...texts.map(({ length }) => length))).to.be.within(190, 200);
    });

    it('keep as much of a text as fits, not its first sentence only', async () => {
      const warning = 'Format.\nMust be ISO 8601. Never pass a relative date; it deletes everything.';
      const description = long(warning);
      const properties = Object.fromEntries(
        Array.from({ length: 12 }, (_, at) => [`p${at}`, { description }]),
      );
      board.kernel.catalogue.add('test', serverTool('files', 'dates', { inputSchema: { properties } }));
      const shown = await board.ask('describe_tool', { name: 'x_files_dates' });
      const { p11 } = (shown['inputSchema'] as JsonObject)['properties'] as Record<string, JsonObject>;
      expect(p11?.['description']).to.equal(`${warning.replace('\n', ' ')} and more of this and…`);
    });

    it('of over 60,000 characters have their texts cut anywhere, between characters', async () => {
      const [even, odd] = [`${'x'.repeat(48)}🙂 ${long('end')}`, `${'x'.repeat(47)} word ${long('end')}`];
      const properties = Object.fromEntries(
        Array.from({ length: 200 }, (_, at) => [`p${at}`, { description: at % 2 === 0 ? even : odd }]),
      );
      board.kernel.catalogue.add('test', serverTool('files', 'huge', { inputSchema: { properties } }));
      const shown = await board.ask('describe_tool', { name: 'x_files_huge' });
      const { p0, p1 } = (shown['inputSchema'] as JsonObject)['properties'] as Record<string, JsonObject>;
      expect([p0?.['description'], p1?.['description']]).to.deep.equal([
        `${'x'.repeat(48)}…`,
        `${'x'.repeat(47)} w…`,
      ]);
    });

    it('are shortened in pieces, a few in each turn of the event loop', async () => {
      const tools = Array.from({ length: 40 }, (_, at) =>
        serverTool('wide', `t${at}`, { inputSchema: schemaOf(100) }),
      );
      board = await boardOf({ tools });
      const args = { pattern: '*', include_schema: true, limit: 40 };
      const { count } = await turnsDuring(() => board.ask('filter_tools', args));
      expect(count).to.be.at.least(10);
    });

    it('stay the same but for their texts, whatever they hold', async () => {
      const names = [
        'description',
        'title',
        'properties',
        'items',
        'anyOf',
        'enum',
        'default',
        '$defs',
        '__proto__',
      ];
      const { value } = fc.letrec<{ value: unknown }>((tie) => ({
        value: fc.oneof(
          { maxDepth: 4 },
          fc.constantFrom(long('Text'), 'short', 1, true, null),
          fc.dictionary(fc.constantFrom(...names), tie('value')),
          fc.array(tie('value'), { maxLength: 3 }),
        ),
      }));
      const schema = fc.dictionary(fc.constantFrom(...names), value);
      await fc.assert(
        fc.asyncProperty(schema, async (any) => {
          board = await boardOf({ tools: [toolOf('any', { inputSchema: any })] });
          const shown = (await board.ask('describe_tool', { name: 'any' }))['inputSchema'] as JsonObject;
          expect(bare(shown)).to.deep.equal(bare(any));
          for (const key of ['default', 'enum']) expect(shown[key]).to.deep.equal(any[key]);
        }),
        { numRuns: 200 },
      );
    });
  });

  it('explains each layer with the remedy and the state of the server', async () => {
    const record = { service_type: 'MCPServer' as const, state: 'stopped', health: 'unknown', metadata: {} };
    const services = () => [{ name: 'files', status: () => ({ name: 'files', ...record }) }];
    const board = await boardOf({
      tools: [serverTool('files', 'read')],
      provides: [ServiceSource],
      source: (scope) => scope.provide(ServiceSource, { services }),
    });
    const allowed = await board.ask('explain_tool', { name: 'x_files_read' });
    expect(allowed).to.deep.include({
      visible: true,
      callable: true,
      how: 'call_tool with this name',
      server: { name: 'files', state: 'stopped', health: 'unknown' },
      remedy: 'start it: call_tool core_service_start {"name": "files"}',
    });
    const headers = { 'x-service-toolset': 'server:git' };
    const hidden = await board.ask('explain_tool', { name: 'x_files_read' }, { headers });
    expect(hidden).to.deep.include({ visible: false, callable: false, how: 'not for this request' });
    const layers = hidden['layers'] as readonly Record<string, unknown>[];
    expect(layers.map(({ layer, allow }) => [layer, allow])).to.deep.equal([
      ['catalogue', true],
      ['toolset', false],
    ]);
    expect(hidden['remedy']).to.match(/X-Service-Toolset/);
    const unknown = await board.ask('explain_tool', { name: 'files_read' });
    expect(unknown).to.deep.include({ visible: false, near: ['x_files_read'] });
  });

  it('works without the plugin toolsets', async () => {
    const board = await boardOf({ tools: many(2), withToolsets: false });
    expect((await board.ask('filter_tools', { include_presets: true }))['presets']).to.deep.equal([]);
    const refusal = await refusalOf(() => board.call('filter_tools', { toolset: ['preset:full'] }));
    expect(refusal.code).to.equal('TOOL_TOOLSET_INVALID');
  });

  it('allows direct calls of the thirteen meta-tools only', async () => {
    const board = await boardOf({ tools: many(1) });
    const refusal = await refusalOf(() => board.kernel.calls.call('x_files_tool0000', {}, requestOf()));
    expect(refusal.details).to.deep.include({ direct: true });
  });
});
