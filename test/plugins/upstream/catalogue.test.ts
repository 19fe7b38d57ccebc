import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { McpPromptSource, McpResourceSource } from '../../../plugins/contracts/mcp.ts';
import { ANYONE, DecisionLayer, messageOf } from '../../../kernel/index.ts';
import type { InboundRequest } from '../../../kernel/index.ts';
import { pluginOf } from '../../support/kernel.ts';
import { EVERYTHING, Rig, SHELF, hostile, temporaryFolder, told, until } from './support.ts';

describe('upstream: lists of servers', () => {
  let rig: Rig;
  beforeEach(() => (rig = new Rig()));
  afterEach(() => rig.stop());

  it('walks all pages of a list', async () => {
    await rig.configure();
    await rig.define({ s: hostile('pages') });
    await rig.hasTool('x_s_t1000');
    expect(rig.status('s').metadata['tools']).to.equal(1_001);
  });

  it('stops reading a list whose cursor repeats', async () => {
    await rig.configure();
    await rig.define({ s: hostile('pageLoop') });
    await rig.hasTool('x_s_echo');
    expect(rig.status('s')).to.include({ state: 'running', health: 'healthy' });
  });

  it('stops reading an endless list at the limit', async () => {
    await rig.configure({ maxListPages: 20 });
    await rig.define({ s: hostile('endless') });
    await rig.hasTool('x_s_t0');
    expect(rig.status('s').metadata['tools']).to.equal(20);
  });

  it('leaves out only malformed tools, and reports them', async () => {
    await rig.configure();
    await rig.define({ s: hostile('malformed') });
    await rig.hasTool('x_s_echo');
    expect(rig.tools()).to.include('x_s___proto__').and.to.not.include('x_s_flat');
    const { malformedTools } = rig.status('s').metadata;
    expect(malformedTools).to.deep.equal([
      'number 1: it has no name',
      'number 2: it has no name',
      'flat: its inputSchema is not an object',
    ]);
    expect(rig.told('tool.malformed')).to.have.length(3);
    const { tools } = rig.status('s').metadata;
    expect(rig.tools()).to.have.length(Number(tools));
    for (const type of ['server.connected', 'server.toolsDiscovered'] as const)
      expect(rig.told(type)[0]).to.include({ tools, refusedTools: 3 });
  });

  it('leaves out tools, resources and prompts whose names contain invisible characters', async () => {
    const odd = ['a\u202eb', 'a\u200bb', 'a\u2028b', 'a\u001b[31mb', 'a\u061cb', 'a\u{e0041}b'];
    const names = [...odd, 'größe'];
    const tools = names.map((name) => ({ name, inputSchema: {} }));
    const resources = names.map((name) => ({ uri: `r://${name}`, name }));
    const resourceTemplates = names.map((name) => ({ uriTemplate: `t://{x}/${name}`, name }));
    await rig.configure();
    const lists = {
      'tools/list': { tools },
      'resources/list': { resources },
      'resources/templates/list': { resourceTemplates },
      'prompts/list': { prompts: names.map((name) => ({ name })) },
    };
    await rig.define({ s: told(lists) });
    await rig.hasTool('x_s_größe');
    expect(rig.tools()).to.deep.equal(['x_s_größe']);
    expect(rig.status('s').metadata['malformedTools']).to.deep.equal(
      ['ab', 'ab', 'ab', 'ab', 'ab', 'ab'].map(
        (name) => `${name}: its name holds control or format characters`,
      ),
    );
    const [source] = rig.kernel.registry.all(McpResourceSource.id) as readonly McpResourceSource[];
    const [prompts] = rig.kernel.registry.all(McpPromptSource.id) as readonly McpPromptSource[];
    expect(source?.resources(ANYONE).map(({ uri }) => uri)).to.deep.equal(['r://größe']);
    expect(source?.templates(ANYONE).map(({ uriTemplate }) => uriTemplate)).to.deep.equal(['t://{x}/größe']);
    expect(prompts?.prompts(ANYONE).map(({ name }) => name)).to.deep.equal(['x_s_größe']);
    const warnings = rig.lines.filter(({ text }) => text === 'malformed entries left out');
    const fault = ': its name holds control or format characters';
    expect(warnings.map(({ data }) => [data['what'], data['names']])).to.have.deep.members([
      ['resources', odd.map((name) => `r://${name}${fault}`)],
      ['resourceTemplates', odd.map((name) => `t://{x}/${name}${fault}`)],
      ['prompts', odd.map((name) => `${name}${fault}`)],
    ]);
  });

  it('drops what a tool has beside its schema if clients would refuse it, and says so once', async () => {
    await rig.configure();
    const odd = {
      title: null,
      description: 5,
      icons: [{}],
      _meta: 'm',
      outputSchema: 'o',
      execution: { taskSupport: 'perhaps' },
      annotations: { readOnlyHint: 'yes', idempotentHint: true, title: 1 },
    };
    const tools = [
      { name: 'one', inputSchema: { type: 'object', title: null }, future: null, ...odd },
      { name: 'two', inputSchema: {} },
    ];
    await rig.define({ s: told({ 'tools/list': { tools } }) });
    await rig.hasTool('x_s_two');
    expect(rig.kernel.catalogue.shared('x_s_one')?.declared).to.deep.equal({
      name: 'one',
      inputSchema: { type: 'object', title: null },
      future: null,
      execution: {},
      annotations: { idempotentHint: true },
    });
    const { metadata } = rig.status('s');
    expect(metadata).to.include({ tools: 2 }).and.not.have.property('malformedTools');
    expect(metadata['malformedEntries']).to.deep.equal([
      'tool one: title must be a string, not null; description must be a string, not 5; icons has a wrong form; and 5 more; dropped',
    ]);
    await rig.define({ s: told({ 'tools/list': { tools } }, { toolPrefix: 't' }) });
    await rig.hasTool('x_t_two');
    const warnings = rig.lines.filter(({ text }) => text === 'malformed members of entries dropped');
    expect(warnings.map(({ data }) => [data['what'], data['count']])).to.deep.equal([['tools', 1]]);
  });

  it('answers a malformed result with its server and place, and says that it may have run', async () => {
    await rig.configure();
    const env = { TOKEN: 'CANARY-4711' };
    const lists = {
      'tools/list': { tools: [{ name: 'one', inputSchema: {} }] },
      'tools/call': { content: [{ type: 'text', text: 'a' }], isError: 'of $TOKEN' },
      'prompts/list': { prompts: [{ name: 'p' }] },
      'prompts/get': { messages: [{ role: 'user', content: [] }] },
    };
    await rig.define({ s: told(lists, { env }) });
    await rig.hasTool('x_s_one');
    const { code, message, details } = await rig.refusal('x_s_one');
    expect([code, message]).to.deep.equal([
      'UPSTREAM_PROTOCOL',
      'tool one of server s was answered with a malformed result: result.isError must be a boolean, not "of [redacted]"; it may have run, check its effect before calling again',
    ]);
    expect(details).to.deep.equal({ server: 's', mayHaveRun: true });
    await until('prompts', () => rig.told('server.promptsChanged').length === 1);
    const [prompts] = rig.kernel.registry.all(McpPromptSource.id) as readonly McpPromptSource[];
    const refusal: unknown = await prompts?.get('x_s_p', {}, ANYONE, {})?.catch((error: unknown) => error);
    expect(String(refusal))
      .to.contain('prompt x_s_p of server s')
      .and.contain('result.messages[0].content must be');
  });

  it('shows twenty odd entries of a server, and how many more there are', async () => {
    await rig.configure();
    const prompts = Array.from({ length: 30 }, (_, at) => ({ name: `p${at}`, title: null }));
    await rig.define({ s: told({ 'tools/list': { tools: [] }, 'prompts/list': { prompts } }) });
    await until('prompts', () => rig.told('server.promptsChanged').length === 1);
    const { malformedEntries } = rig.status('s').metadata;
    expect(malformedEntries).to.have.length(21);
    expect(malformedEntries)
      .to.include('prompt p19: title must be a string, not null; dropped')
      .and.include('and 10 more');
  });

  for (const list of [undefined, null])
    it(`takes a list that is ${list} for an empty one, if it is not the tools of a server that declares some`, async () => {
      await rig.configure();
      const lists = Object.fromEntries(
        ['resources', 'resourceTemplates', 'prompts'].map((name) => [name, list]),
      );
      const answers = {
        'resources/list': lists,
        'resources/templates/list': list === null ? null : lists,
        'prompts/list': lists,
        'tools/list': lists,
      };
      const withoutTools = { initialize: { capabilities: { resources: {}, prompts: {} } }, ...answers };
      await rig.define({ without: told(withoutTools), s: told(answers) });
      await rig.reaches('without', 'running');
      await rig.reaches('s', 'running');
      expect(rig.status('without')).to.include({ health: 'healthy' }).and.not.have.property('error');
      expect(rig.status('s')).to.include({
        health: 'unhealthy',
        error: 'tools/list was answered without a list',
      });
    });

  it('leaves out names, uris and uri templates that are too long, says so once, and answers meanwhile', async () => {
    await rig.configure();
    const long = { env: { LONG: '{'.repeat(100_000) } };
    const lists = {
      'tools/list': { tools: ['one', '$LONG', 'n'.repeat(1_025)].map((name) => ({ name, inputSchema: {} })) },
      'resources/list': {
        resources: ['r://one', 'r://$LONG', 'r://'.padEnd(8_193, 'r')].map((uri) => ({ uri, name: 'r' })),
      },
      'resources/templates/list': {
        resourceTemplates: ['t://{x}/one', 't://$LONG$LONG', 't://{x}'.padEnd(8_192, '{')].map(
          (uriTemplate) => ({
            uriTemplate,
            name: 't',
          }),
        ),
      },
      'prompts/list': { prompts: ['one', '$LONG'].map((name) => ({ name })) },
    };
    await rig.define({ s: told(lists, long), other: hostile() });
    await rig.hasTool('x_s_one');
    await rig.hasTool('x_other_echo');
    expect(await rig.text('x_other_echo', { message: 'meanwhile' })).to.equal('meanwhile');
    expect(rig.status('s').metadata['malformedTools']).to.deep.equal([
      `${'{'.repeat(100)}… (100000 characters): its name has over 1024 characters`,
      `${'n'.repeat(100)}… (1025 characters): its name has over 1024 characters`,
    ]);
    const [source] = rig.kernel.registry.all(McpResourceSource.id) as readonly McpResourceSource[];
    const [prompts] = rig.kernel.registry.all(McpPromptSource.id) as readonly McpPromptSource[];
    expect(source?.resources(ANYONE).map(({ uri }) => uri)).to.deep.equal(['r://one']);
    expect(source?.templates(ANYONE).map(({ uriTemplate }) => uriTemplate)).to.deep.equal([
      't://{x}/one',
      't://{x}'.padEnd(8_192, '{'),
    ]);
    expect(prompts?.prompts(ANYONE).map(({ name }) => name)).to.deep.equal(['x_s_one']);
    const warned = (): readonly (readonly [unknown, unknown])[] =>
      rig.lines
        .filter(({ text }) => text === 'malformed entries left out')
        .map(({ data }) => [data['what'], data['names']]);
    const tooLong = (limit: number) => `its name has over ${limit} characters`;
    const resources = (limit: number) => [
      'resources',
      [
        `r://${'{'.repeat(96)}… (100004 characters): ${tooLong(limit)}`,
        `r://${'r'.repeat(96)}… (8193 characters): ${tooLong(limit)}`,
      ],
    ];
    const template = (limit: number) => `t://${'{'.repeat(96)}… (200004 characters): ${tooLong(limit)}`;
    expect(warned()).to.have.deep.members([
      resources(8_192),
      ['resourceTemplates', [template(8_192)]],
      ['prompts', [`${'{'.repeat(100)}… (100000 characters): ${tooLong(1_024)}`]],
    ]);
    await rig.configure({ maxUriChars: 8_191 });
    await until('one template is left', () => source?.templates(ANYONE).length === 1);
    const last = `t://{x}${'{'.repeat(93)}… (8192 characters): ${tooLong(8_191)}`;
    expect(warned().slice(3)).to.have.deep.members([
      resources(8_191),
      ['resourceTemplates', [template(8_191), last]],
    ]);
  });

  it('hides secrets the server was given in everything that it lists and says about itself', async () => {
    const folder = temporaryFolder();
    rig = new Rig(folder.path);
    await rig.configure();
    const text = 'has $TOKEN, also as \\ or "$PART"';
    const entry = { name: 'one', title: text, description: text, _meta: { deep: [text, { $TOKEN: 1 }] } };
    const env = { TOKEN: 'CANARY-4711', PART: 'p/w"é\\4712', NODE_ENV: 'production' };
    const lists = {
      initialize: {
        serverInfo: { name: 'of $TOKEN', version: '$PART' },
        instructions: `${text} in production`,
      },
      'tools/list': {
        tools: [
          { ...entry, inputSchema: { type: 'object', default: '$TOKEN', properties: { $PART: {} } } },
          { name: 'of_$TOKEN', inputSchema: {} },
          { name: 'production', description: 'in production', inputSchema: {} },
        ],
      },
      'resources/list': {
        resources: [
          { ...entry, uri: 'r://one' },
          { uri: 'r://$TOKEN', name: 'x' },
        ],
      },
      'resources/templates/list': { resourceTemplates: [{ ...entry, uriTemplate: 'r://{x}' }] },
      'prompts/list': {
        prompts: [{ ...entry, arguments: [{ name: 'a', description: text }] }, { name: '$TOKEN' }],
      },
    };
    await rig.define({ s: told(lists, { env }) });
    await rig.hasTool('x_s_one');
    expect(rig.tools()).to.deep.equal(['x_s_one', 'x_s_production']);
    const tool = rig.kernel.catalogue.shared('x_s_one');
    expect(tool?.description).to.equal('has [redacted], also as \\ or "[redacted]"');
    expect(tool?.inputSchema).to.deep.equal({
      type: 'object',
      default: '[redacted]',
      properties: { '[redacted]': {} },
    });
    expect(rig.kernel.catalogue.shared('x_s_production')?.description).to.equal('in production');
    const { metadata } = rig.status('s');
    expect(metadata).to.include({ serverName: 'of [redacted]', serverVersion: '[redacted]' });
    expect(metadata['malformedTools']).to.deep.equal([
      '[redacted]: its name repeats a secret that its server was given',
    ]);
    const [source] = rig.kernel.registry.all(McpResourceSource.id) as readonly McpResourceSource[];
    const [prompts] = rig.kernel.registry.all(McpPromptSource.id) as readonly McpPromptSource[];
    const shown = [source?.resources(ANYONE), source?.templates(ANYONE), prompts?.prompts(ANYONE)];
    expect(shown.map((one) => one?.length)).to.deep.equal([1, 1, 1]);
    expect(rig.service('s').instructions?.()).to.contain('has [redacted]').and.to.contain('in production');
    await rig.stop();
    const [file = ''] = readdirSync(join(folder.path, 'catalogues'));
    const kept = readFileSync(join(folder.path, 'catalogues', file), 'utf8');
    expect(kept).to.contain('x_s_one'.slice(4));
    const all = JSON.stringify([shown, tool, rig.lines, rig.events, metadata]) + kept;
    expect(all).to.not.match(/CANARY|4712/);
    folder.remove();
  });

  it('leaves out entries nested too deep to serialise, and keeps them out when the server restarts', async () => {
    const folder = temporaryFolder();
    rig = new Rig(folder.path);
    await rig.configure();
    await rig.define({ s: hostile('deep') });
    await rig.hasTool('x_s_echo');
    expect(rig.tools()).to.deep.equal(['x_s_echo']);
    expect(rig.status('s').metadata['malformedTools']).to.deep.equal([
      'deep: it is nested deeper than 512 levels',
      'meta: it is nested deeper than 512 levels',
    ]);
    await rig.refusal('x_s_die');
    expect(await rig.text('x_s_echo', { message: 'again' })).to.equal('again');
    await rig.stop();
    expect(rig.lines.filter(({ text }) => text.includes('could not be'))).to.deep.equal([]);
    folder.remove();
  });

  it('marks a server unhealthy that answers without a list', async () => {
    await rig.configure();
    await rig.define({ s: hostile('noList') });
    await rig.reaches('s', 'running');
    expect(rig.status('s')).to.include({ health: 'unhealthy' });
    expect(rig.status('s').error).to.contain('without a list');
  });

  it('reads the list again, at most four times a second, when a server announces changes 100 times', async () => {
    await rig.configure();
    await rig.define({ s: hostile('storm') });
    await rig.hasTool('x_s_echo');
    // This tool answers with the number of tools/list requests.
    const lists = async (): Promise<number> => Number(await rig.text('x_s_pid'));
    const [first, begun] = [await lists(), performance.now()];
    await until('three more lists', async () => (await lists()) >= first + 3);
    expect(performance.now() - begun).to.be.least(500);
    await rig.call('x_s_add', { name: 'late' });
    await rig.hasTool('x_s_late');
    expect(rig.tools()).to.not.include('x_s_echo');
    expect(rig.told('server.toolsChanged').at(-1)).to.deep.include({
      added: ['x_s_late'],
      removed: ['x_s_echo'],
    });
  });

  it('reads the list less and less often while a server keeps announcing changes, and misses none', async () => {
    await rig.configure({ listDebounceMs: 5 });
    await rig.define({ s: hostile('storm') });
    await rig.hasTool('x_s_echo');
    // `pid` answers with the number of tools/list requests, `storms` with that of announcements.
    const count = async (tool: string): Promise<number> => Number(await rig.text(`x_s_${tool}`));
    const [lists, begun] = [await count('pid'), await count('storms')];
    await until('a hundred announcements', async () => (await count('storms')) >= begun + 100);
    expect((await count('pid')) - lists).to.be.below(15);
    await rig.call('x_s_add', { name: 'late' });
    await rig.hasTool('x_s_late');
  });

  it('lists from time to time when a server never announces changes', async () => {
    await rig.configure({ relistMs: 50 });
    await rig.define({ s: hostile('quiet') });
    await rig.hasTool('x_s_echo');
    await rig.call('x_s_add', { name: 'unannounced' });
    await rig.hasTool('x_s_unannounced');
  });

  it('prefers the first server by name for a name that two claim, and reports the other', async () => {
    await rig.configure();
    await rig.define({ zed: hostile('plain', { toolPrefix: 'same' }) });
    await rig.hasTool('x_same_echo');
    await rig.define({
      zed: hostile('plain', { toolPrefix: 'same' }),
      abe: hostile('plain', { toolPrefix: 'same' }),
    });
    await until('abe', () => rig.kernel.catalogue.shared('x_same_echo')?.server === 'abe');
    expect(rig.status('zed').metadata['collisions']).to.include('x_same_echo');
    expect(rig.status('zed').metadata['tools']).to.equal(0);
    expect(rig.told('tool.collided')).to.deep.include({
      type: 'tool.collided',
      name: 'x_same_echo',
      winner: 'abe',
      loser: 'zed',
    });
    await rig.define({ zed: hostile('plain', { toolPrefix: 'same' }) });
    await until('zed again', () => rig.kernel.catalogue.shared('x_same_echo')?.server === 'zed');
    expect(await rig.text('x_same_echo', { message: 'z' })).to.equal('z');
  });

  it('does not let a server claim the names of another by its toolPrefix or family', async () => {
    await rig.configure();
    const entry = { name: 'echo', inputSchema: {} };
    const lists = { 'tools/list': { tools: [entry] }, 'prompts/list': { prompts: [entry] } };
    const family = { name: 'good', instanceArg: 'which' };
    const thieves = {
      aaa: told(lists, { toolPrefix: 'good' }),
      bbb: told(lists, { family }),
      ccc: told({ 'tools/list': { tools: [{ ...entry, name: 'o' }] } }, { toolPrefix: 'good_ech' }),
    };
    await rig.define(thieves);
    await rig.hasTool('x_good_echo');
    for (const good of [told(lists), told(lists, { toolPrefix: 'good' })]) {
      await rig.define({ ...thieves, good });
      await until('good', () => rig.kernel.catalogue.shared('x_good_echo')?.server === 'good');
      await until('prompt of good', () => rig.status('aaa').metadata['collisions'] !== undefined);
      const shared = rig.lines.filter(({ text }) => text.startsWith('two servers offer something'));
      const pair = { what: 'prompts', winner: 'good', loser: 'aaa', count: 1, names: 'x_good_echo' };
      expect(shared.map(({ data }) => data)).to.deep.include({ plugin: 'upstream', ...pair });
      expect(rig.told('tool.collided')).to.deep.include.members([
        { type: 'tool.collided', name: 'x_good_echo', winner: 'good', loser: 'aaa' },
        { type: 'tool.collided', what: 'prompts', name: 'x_good_echo', winner: 'good', loser: 'aaa' },
      ]);
      await rig.define(thieves);
      await until('gone', () => rig.kernel.catalogue.shared('x_good_echo')?.server !== 'good');
    }
  });

  it('refuses a tool that its server runs only as a task, with the reason, and sends the server nothing', async () => {
    await rig.configure();
    const everything = [process.execPath, EVERYTHING, 'stdio'];
    await rig.define({ e: { type: 'stdio', autoStart: true, command: everything, timeout: 30 } });
    await rig.hasTool('x_e_simulate-research-query');
    const refusal = await rig.refusal('x_e_simulate-research-query', { topic: 'rust' });
    expect([refusal.code, refusal.message]).to.deep.equal([
      'UPSTREAM_TASK_ONLY',
      'server e runs x_e_simulate-research-query as a task only (execution.taskSupport is required); there are no tasks here; find another tool with filter_tools',
    ]);
    expect(await rig.text('x_e_echo', { message: 'on' })).to.equal('Echo: on');
  });

  it('lists resources, templates and prompts, and reads them as text', async () => {
    await rig.configure();
    await rig.define({
      e: { type: 'stdio', autoStart: true, command: [process.execPath, EVERYTHING, 'stdio'], timeout: 30 },
    });
    await rig.hasTool('x_e_echo');
    const request = {} as InboundRequest;
    const [source] = rig.kernel.registry.all(McpResourceSource.id) as readonly McpResourceSource[];
    const [prompts] = rig.kernel.registry.all(McpPromptSource.id) as readonly McpPromptSource[];
    const [first] = source?.resources(request) ?? [];
    expect(JSON.parse((await source?.read(String(first?.['uri']), request, {})) ?? '')).to.have.property(
      'contents',
    );
    const fromTemplate = await source?.read('demo://resource/dynamic/text/7', request, {});
    expect(fromTemplate).to.contain('demo://resource/dynamic/text/7');
    expect(source?.read('other://unknown', request, {})).to.equal(undefined);
    const names = prompts?.prompts(request).map(({ name }) => name);
    expect(names).to.include('x_e_simple-prompt');
    expect(await prompts?.get('x_e_simple-prompt', {}, request, {})).to.contain('messages');
    expect(prompts?.get('x_e_nothing', {}, request, {})).to.equal(undefined);
  });

  it('reads a resource under any form of its uri, and asks the server whose template fits', async () => {
    const denied = new Set<string>();
    const layer: DecisionLayer = {
      layer: 'test',
      order: 1,
      judge: (name) => (denied.has(name) ? { layer: 'test', allow: false, reason: 'no' } : undefined),
    };
    const deciding = pluginOf('decides', (scope) => scope.provide(DecisionLayer, layer), {
      provides: [DecisionLayer],
    });
    await rig.configure({}, [deciding]);
    const command = [process.execPath, SHELF, 'café', 'file:///docs/café menu', 'file:///docs/a%2Fb'];
    await rig.define({ a: { type: 'stdio', autoStart: true, command } });
    await rig.hasTool('x_a_lend');
    const [source] = rig.kernel.registry.all(McpResourceSource.id) as readonly McpResourceSource[];
    const read = (uri: string) => source?.read(uri, ANYONE, {});
    for (const uri of [
      'file:///docs/caf%C3%A9%20menu',
      'file:///docs/caf%c3%a9 menu',
      'file:///%64ocs/café menu',
    ])
      expect(await read(uri), uri).to.contain('"file:///docs/café menu"');
    expect(await read('file:///docs/a%2fb')).to.contain('"file:///docs/a%2Fb"');
    expect(read('file:///docs/a/b')).to.equal(undefined);
    for (const uri of ['page://caf%C3%A9/7', 'page://café/%37'])
      expect(await read(uri), uri).to.contain(JSON.stringify(uri));
    denied.add('page://café/7');
    for (const uri of ['page://café/7', 'page://caf%C3%A9/7', 'page://caf%c3%a9/%37'])
      expect(() => read(uri), uri).to.throw();
    denied.add('file:///docs/café menu');
    expect(() => read('file:///docs/caf%C3%A9%20menu')).to.throw();
  });

  it('looks for a template only for uris of at most maxUriChars', async () => {
    await rig.configure({ maxUriChars: 100 });
    await rig.define({ a: { type: 'stdio', autoStart: true, command: [process.execPath, SHELF, 'a'] } });
    await rig.hasTool('x_a_lend');
    const [source] = rig.kernel.registry.all(McpResourceSource.id) as readonly McpResourceSource[];
    const uriOf = (chars: number): string => 'page://a/'.padEnd(chars, '7');
    expect(await source?.read(uriOf(100), ANYONE, {})).to.contain(uriOf(100));
    for (const chars of [101, 4_000_000]) expect(source?.read(uriOf(chars), ANYONE, {})).to.equal(undefined);
  });

  it('watches resources of a server of an older revision also if it declares no subscriptions', async () => {
    await rig.configure({});
    const command = [process.execPath, SHELF];
    const stdio = { type: 'stdio', autoStart: true };
    const [a, b] = [
      [...command, 'undeclared'],
      [...command, 'none'],
    ];
    await rig.define({ a: { ...stdio, command: a }, b: { ...stdio, command: b } });
    await rig.hasTool('x_a_lend');
    await rig.hasTool('x_b_lend');
    const [source] = rig.kernel.registry.all(McpResourceSource.id) as readonly McpResourceSource[];
    let told = 0;
    await source?.subscribe?.('own://undeclared', ANYONE, () => (told += 1));
    await rig.call('x_a_lend');
    expect(told).to.equal(1);
    const refused = await source?.subscribe?.('own://none', ANYONE, () => undefined)?.catch(messageOf);
    expect(refused).to.include('subscription to own://none of server b failed: what?');
  });

  it('notifies watchers of a resource of its changes for as long as they may read it', async () => {
    let isDenied = false;
    const layer: DecisionLayer = {
      layer: 'test',
      order: 1,
      judge: (_, item) =>
        isDenied && item?.kind === 'resource' ? { layer: 'test', allow: false, reason: 'no' } : undefined,
    };
    const deciding = pluginOf('decides', (scope) => scope.provide(DecisionLayer, layer), {
      provides: [DecisionLayer],
    });
    await rig.configure({}, [deciding]);
    await rig.define({ a: { type: 'stdio', autoStart: true, command: [process.execPath, SHELF, 'a'] } });
    await rig.hasTool('x_a_lend');
    const [source] = rig.kernel.registry.all(McpResourceSource.id) as readonly McpResourceSource[];
    let told = 0;
    await source?.subscribe?.('own://a', ANYONE, () => (told += 1));
    await rig.call('x_a_lend');
    expect(told).to.equal(1);
    isDenied = true;
    await rig.call('x_a_lend');
    expect(told).to.equal(1);
    expect(() => source?.read('own://a', ANYONE, {})).to.throw('no');
    isDenied = false;
    await rig.call('x_a_lend');
    expect(told).to.equal(2);
  });

  it('keeps a uri that two have with the first, reports it, and reads back the uri in a result', async () => {
    await rig.configure();
    const shelf = (name: string) => ({
      type: 'stdio',
      autoStart: true,
      command: [process.execPath, SHELF, name],
    });
    await rig.define({ b: shelf('b') });
    await rig.hasTool('x_b_lend');
    await rig.define({ b: shelf('b'), a: shelf('a') });
    await rig.hasTool('x_a_lend');
    const request = {} as InboundRequest;
    const [source] = rig.kernel.registry.all(McpResourceSource.id) as readonly McpResourceSource[];
    const read = async (uri: string): Promise<string> => (await source?.read(uri, request, {})) ?? '';
    const uris = (): unknown[] => source?.resources(request).map(({ uri }) => uri) ?? [];
    expect(uris()).to.deep.equal(['own://a', 'own://b', 'shared://book']);
    expect(await read('shared://book')).to.contain('of b');
    const told = rig.events.filter(({ type }) => type === 'tool.collided');
    expect(told).to.deep.include({
      type: 'tool.collided',
      what: 'resources',
      name: 'shared://book',
      winner: 'b',
      loser: 'a',
    });
    for (const server of ['a', 'b']) {
      const { content } = (await rig.call(`x_${server}_lend`)).value();
      expect(content).to.deep.equal([{ type: 'resource_link', uri: `own://${server}`, name: 'own' }]);
      expect(await read(`own://${server}`)).to.contain(`of ${server}`);
    }
    await rig.define({ a: shelf('a') });
    expect(await read('shared://book')).to.contain('of a');
    expect(uris()).to.deep.equal(['own://a', 'shared://book']);
  });

  for (const [what, own] of [
    ['auth://status', 'auth://status'],
    ['resource below pegboard:', 'Pegboard://docs'],
  ] as const)
    it(`lists a server's own ${what} under another uri, and leaves that uri to Pegboard`, async () => {
      await rig.configure();
      const command = [process.execPath, SHELF, 'a', own];
      await rig.define({ a: { type: 'stdio', autoStart: true, command } });
      await rig.hasTool('x_a_lend');
      const request = {} as InboundRequest;
      const [source] = rig.kernel.registry.all(McpResourceSource.id) as readonly McpResourceSource[];
      const uris = source?.resources(request).map(({ uri }) => uri);
      expect(uris).to.deep.equal(['own://a', 'shared://book', `x_a_${own}`]);
      expect(source?.read(own, request, {})).to.equal(undefined);
      expect(await source?.read(`x_a_${own}`, request, {})).to.contain(`"uri":"${own}","text":"of a"`);
      expect(rig.told('tool.collided')).to.deep.equal([
        { type: 'tool.collided', what: 'resources', name: own, winner: 'pegboard', loser: 'a' },
      ]);
    });
});
