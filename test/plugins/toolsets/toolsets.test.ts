import { expect } from 'chai';
import fc from 'fast-check';
import type { Tool } from '../../../kernel/contracts/call.ts';
import { STAGE } from '../../../kernel/contracts/stage.ts';
import { textResult } from '../../../kernel/lib/results.ts';
import { familyTool } from '../../../plugins/upstream/offer/families.ts';
import { refusalOf, toolOf } from '../../support/kernel.ts';
import { boardOf, namesIn, serverTool } from '../metatools/board.ts';

const TOOLS: readonly Tool[] = [
  serverTool('github', 'read', { annotations: { readOnlyHint: true } }),
  serverTool('github', 'write'),
  serverTool('git', 'read', { annotations: { readOnlyHint: true } }),
  toolOf('workflow_deploy', { kind: 'workflow', labels: { team: 'web', level: '1' } }),
  toolOf('workflow_report', {
    kind: 'workflow',
    labels: { team: 'web' },
    annotations: { readOnlyHint: true },
  }),
  toolOf('core_service_list', { kind: 'core', annotations: { readOnlyHint: true } }),
  toolOf('core_service_stop', { kind: 'core' }),
];
const PRESETS = {
  web: { description: 'Of the web team', include: [{ label: 'team=web' }] },
  both: { include: [{ label: { team: 'web', level: '1' } }] },
  github: {
    include: [{ server: 'github' }, { tool: 'core_service_list' }],
    exclude: [{ pattern: '*_wr?te' }],
  },
  mixed: { include: [{ preset: 'github' }, { workflow: 'deploy' }] },
  safe: {
    include: [{ preset: 'full' }],
    exclude: [{ pattern: 'core_*' }, { server: 'git' }, { readOnly: true }],
  },
  empty: { description: 'Nothing is included' },
};
const headersOf = (toolset: string) => ({ headers: { 'x-service-toolset': toolset } });

describe('toolsets', () => {
  const select = async (toolset: string): Promise<readonly string[]> => {
    const board = await boardOf({ tools: TOOLS, presets: PRESETS });
    return namesIn(await board.ask('list_tools', {}, headersOf(toolset)));
  };

  it('unite the tools their selectors select', async () => {
    expect(await select('server:github , workflow:deploy')).to.deep.equal([
      'x_github_read',
      'x_github_write',
      'workflow_deploy',
    ]);
    expect(await select('tool:core_service_stop')).to.deep.equal(['core_service_stop']);
    expect(await select('server:git')).to.deep.equal(['x_git_read']);
    expect(await select('workflow:dep*')).to.deep.equal([]);
  });

  it('are named by list_tools when declared, beside entries in discovery form', async () => {
    const board = await boardOf({ tools: TOOLS });
    const page = await board.ask('list_tools', {}, headersOf('server:git, tool:core_service_list'));
    expect(page['toolset']).to.deep.equal(['server:git', 'tool:core_service_list']);
    expect(page.tools).to.deep.equal([
      {
        name: 'x_git_read',
        summary: 'read of git',
        server: 'git',
        kind: 'tool',
        annotations: { readOnlyHint: true },
      },
      {
        name: 'core_service_list',
        summary: 'core_service_list',
        kind: 'core',
        annotations: { readOnlyHint: true },
      },
    ]);
  });

  it('ignore spaces around a name', async () => {
    expect(await select('server: git, tool: core_service_stop ')).to.deep.equal(
      await select('server:git,tool:core_service_stop'),
    );
  });

  it('include the built-in presets', async () => {
    expect(await select('preset:full')).to.have.length(TOOLS.length);
    expect(await select('preset:none')).to.deep.equal([]);
    expect(await select('preset:read-only')).to.deep.equal([
      'x_git_read',
      'x_github_read',
      'workflow_report',
      'core_service_list',
    ]);
  });

  it('apply rules of every kind, exclude over include', async () => {
    expect(await select('preset:web')).to.deep.equal(['workflow_deploy', 'workflow_report']);
    expect(await select('preset:both')).to.deep.equal(['workflow_deploy']);
    expect(await select('preset:github')).to.deep.equal(['x_github_read', 'core_service_list']);
    expect(await select('preset:mixed')).to.deep.equal([
      'x_github_read',
      'workflow_deploy',
      'core_service_list',
    ]);
    expect(await select('preset:safe')).to.deep.equal(['x_github_write', 'workflow_deploy']);
    expect(await select('preset:empty')).to.deep.equal([]);
  });

  it('change nothing without the header', async () => {
    const board = await boardOf({ tools: TOOLS, presets: PRESETS });
    expect(await board.ask('list_tools')).to.deep.include({ total: TOOLS.length });
    const { layers } = await board.ask('explain_tool', { name: 'x_git_read' });
    expect(layers).to.have.length(1);
  });

  it('refuse calls outside them, naming tool and selectors', async () => {
    const board = await boardOf({ tools: TOOLS });
    const asking = headersOf('server:github,preset:none');
    for (const meta of ['call_tool', 'describe_tool']) {
      const refusal = await refusalOf(() => board.call(meta, { name: 'x_git_read' }, asking));
      expect(refusal.code).to.equal('TOOL_OUTSIDE_TOOLSET');
      expect(refusal.message).to.match(
        /^tool x_git_read is outside the toolset \[server:github, preset:none\]/,
      );
    }
    await board.call('call_tool', { name: 'x_github_read' }, asking);
    const unknown = await refusalOf(() => board.call('call_tool', { name: 'x_github_reed' }, asking));
    expect(unknown.code).to.equal('TOOL_NOT_FOUND');
    expect(unknown.details)
      .to.have.property('near')
      .that.includes('x_github_read')
      .and.does.not.include('x_git_read');
  });

  describe('on a tool of a family of servers', () => {
    const drop = (server: string) => ({
      server,
      tool: serverTool(server, 'drop', { invoke: () => textResult(server) }),
      own: 'drop',
      text: '',
      excluded: undefined,
      isOwn: true,
    });
    const family = familyTool('x_db_drop', { name: 'db', instanceArg: 'instance' }, [
      drop('prod'),
      drop('stage'),
    ]);
    const presets = { careful: { include: [{ server: 'db' }], exclude: [{ server: 'prod' }] } };
    const dropped = async (toolset: string, instance: string): Promise<unknown> => {
      const board = await boardOf({ tools: [family], presets });
      expect(namesIn(await board.ask('list_tools', {}, headersOf(toolset)))).to.deep.equal(['x_db_drop']);
      const args = { name: 'x_db_drop', arguments: { instance } };
      return (await board.call('call_tool', args, headersOf(toolset))).content[0]?.['text'];
    };

    it('judge the server that a call is for, and show the tool while one of its servers is in', async () => {
      for (const toolset of ['server:stage', 'tool:x_stage_drop', 'preset:careful']) {
        expect(await dropped(toolset, 'stage')).to.equal('stage');
        const refusal = await refusalOf(() => dropped(toolset, 'prod'));
        expect([refusal.code, refusal.message]).to.deep.equal([
          'TOOL_OUTSIDE_TOOLSET',
          `tool x_db_drop of server prod is outside the toolset [${toolset}]; add tool:x_db_drop to the header X-Service-Toolset, or leave it out`,
        ]);
      }
      for (const toolset of ['server:db', 'tool:x_db_drop', 'preset:full'])
        expect(await dropped(toolset, 'prod')).to.equal('prod');
    });

    it('hide it when none of its servers is in', async () => {
      const board = await boardOf({ tools: [family] });
      expect(await board.ask('list_tools', {}, headersOf('server:git'))).to.include({ total: 0 });
      const { layers } = await board.ask(
        'explain_tool',
        { name: 'x_db_drop' },
        headersOf('server:git,server:stage'),
      );
      expect(layers).to.deep.include({
        layer: 'toolset',
        allow: true,
        reason: 'the toolset [server:git, server:stage] includes it',
      });
    });
  });

  describe('beside a toolset that a plugin sets for its caller', () => {
    /** @param stage before or after the plugin toolsets */
    const guarded = (stage: number, selectors: readonly string[]) =>
      boardOf({
        tools: TOOLS,
        source: (scope) =>
          scope.tap(
            'onRequest',
            (request) => {
              request.toolset = { selectors };
              return undefined;
            },
            stage,
          ),
      });

    for (const stage of [STAGE.narrow, STAGE.normal])
      it(`only narrow further, also when that is set at stage ${stage}`, async () => {
        const board = await guarded(stage, ['server:github']);
        const seen = async (toolset?: string): Promise<readonly string[]> =>
          namesIn(await board.ask('list_tools', {}, toolset === undefined ? {} : headersOf(toolset)));
        expect(await seen()).to.deep.equal(['x_github_read', 'x_github_write']);
        expect(await seen('preset:full')).to.deep.equal(['x_github_read', 'x_github_write']);
        expect(await seen('preset:read-only, server:git')).to.deep.equal(['x_github_read']);
        expect(await seen('server:git')).to.deep.equal([]);
        const listed = await board.ask('list_tools', {}, headersOf('server:git'));
        expect(listed['toolset']).to.deep.equal(['server:git']);
      });

    it('hide what it leaves out, whatever the client declares', async () => {
      const board = await guarded(STAGE.narrow, ['preset:read-only']);
      for (const asking of [{}, headersOf('preset:full'), headersOf('preset:none')]) {
        const refusal = await refusalOf(() => board.call('call_tool', { name: 'x_github_write' }, asking));
        expect(refusal.code).to.equal('TOOL_NOT_FOUND');
        expect(refusal.message).to.match(/^tool not found: x_github_write/);
      }
    });

    it('give the reason when that toolset is invalid', async () => {
      const board = await guarded(STAGE.narrow, ['preset:gone']);
      for (const asking of [{}, headersOf('preset:full')]) {
        const refusal = await refusalOf(() => board.call('list_tools', {}, asking));
        expect([refusal.code, refusal.message]).to.deep.equal([
          'TOOL_TOOLSET_INVALID',
          'invalid toolset: names the unknown preset "gone"; did you mean none?',
        ]);
      }
    });
  });

  it('judge a long-lived request by the current presets', async () => {
    const board = await boardOf({ tools: TOOLS, presets: PRESETS });
    const request = await board.open(headersOf('preset:web'));
    const seen = (): readonly string[] => board.kernel.catalogue.visibleTo(request).map(({ name }) => name);
    expect(seen()).to.deep.equal(['workflow_deploy', 'workflow_report']);
    await board.reconfigure({ tools: TOOLS, presets: { web: { include: [{ server: 'git' }] } } });
    expect(seen()).to.deep.equal(['x_git_read']);
  });

  it('do not narrow the steps of a workflow', async () => {
    const inner = toolOf('workflow_inner', {
      kind: 'workflow',
      invoke: (_args, call) => call.child('x_git_read', {}),
    });
    const board = await boardOf({ tools: [...TOOLS, inner] });
    await board.call('call_tool', { name: 'workflow_inner' }, headersOf('workflow:inner'));
  });

  it('that are invalid are answered on every meta-tool, with the reason', async () => {
    const board = await boardOf({ tools: TOOLS, presets: PRESETS });
    const faults = [
      ['', /it is empty/],
      [' ', /it is empty/],
      ['preset:webb', /unknown preset "webb"; did you mean web\?/],
      ['toolset:a', /reserved/],
      ['label:team=web', /label is for presets only/],
      ['pattern:*', /malformed/],
      ['github', /malformed/],
      ['server:', /malformed/],
      ['server: ', /malformed/],
      ['server:git,,tool:a', /malformed/],
      ['preset:constructor', /unknown preset/],
      [Array.from({ length: 33 }, (_, at) => `tool:${at}`).join(','), /33 selectors; at most 32/],
    ] as const;
    for (const [toolset, reason] of faults) {
      for (const { name } of board.kernel.catalogue.metaTools()) {
        const refusal = await refusalOf(() => board.call(name, {}, headersOf(toolset)));
        expect([name, refusal.code]).to.deep.equal([name, 'TOOL_TOOLSET_INVALID']);
        expect(refusal.message).to.match(reason);
      }
    }
    await board.call(
      'list_tools',
      {},
      headersOf(Array.from({ length: 32 }, (_, at) => `tool:${at}`).join(',')),
    );
  });

  it('evaluate presets against the live catalogue', async () => {
    const board = await boardOf({ tools: TOOLS, presets: PRESETS });
    const remove = board.kernel.catalogue.add('test', serverTool('github', 'new'));
    expect(namesIn(await board.ask('list_tools', {}, headersOf('preset:github')))).to.include('x_github_new');
    remove();
    expect(namesIn(await board.ask('list_tools', {}, headersOf('preset:github')))).not.to.include(
      'x_github_new',
    );
  });

  it('apply new presets live', async () => {
    const board = await boardOf({ tools: TOOLS });
    await refusalOf(() => board.call('list_tools', {}, headersOf('preset:web')));
    await board.reconfigure({ presets: PRESETS });
    expect(namesIn(await board.ask('list_tools', {}, headersOf('preset:web')))).to.have.length(2);
    expect((await board.ask('filter_tools', { include_presets: true }))['presets']).to.deep.include({
      name: 'web',
      description: 'Of the web team',
      built_in: false,
    });
  });

  it('show exactly the tools they allow, for any toolset', async () => {
    const servers = fc.constantFrom('git', 'github', 'gitlab');
    const names = fc.constantFrom(...TOOLS.map(({ name }) => name), 'nowhere');
    const rule = fc.oneof(
      names.map((tool) => ({ tool })),
      servers.map((server) => ({ server })),
      fc.constantFrom('deploy', 'report', 'none').map((workflow) => ({ workflow })),
      fc.constantFrom('*', 'x_*', '*_read', '*[^d]', 'core_?ervice*').map((pattern) => ({ pattern })),
      fc.constantFrom('team=web', 'level=1', 'a=').map((label) => ({ label })),
      fc.constant({ readOnly: true }),
    );
    const preset = fc.record({
      include: fc.array(rule, { maxLength: 4 }),
      exclude: fc.array(rule, { maxLength: 2 }),
    });
    const selector = fc.oneof(
      names.map((name) => `tool:${name}`),
      servers.map((name) => `server:${name}`),
      fc.constantFrom(
        'workflow:deploy',
        'preset:read-only',
        'preset:none',
        'preset:full',
        'preset:p',
        'preset:q',
      ),
    );
    const board = await boardOf({ tools: TOOLS });
    await fc.assert(
      fc.asyncProperty(
        preset,
        preset,
        fc.array(selector, { minLength: 1, maxLength: 4 }),
        async (p, q, selectors) => {
          await board.reconfigure({ presets: { p, q: { ...q, include: [...q.include, { preset: 'p' }] } } });
          const asking = headersOf(selectors.join(','));
          const visible = namesIn(await board.ask('list_tools', {}, asking));
          const found = namesIn(await board.ask('filter_tools', { limit: 100 }, asking));
          const callable = await passing((name) => board.call('call_tool', { name }, asking));
          const described = await passing((name) => board.call('describe_tool', { name }, asking));
          const explained: string[] = [];
          for (const { name } of TOOLS) {
            const { visible: isVisible } = await board.ask('explain_tool', { name }, asking);
            if (isVisible === true) explained.push(name);
          }
          for (const names of [found, callable, described, explained])
            expect(names).to.have.members([...visible]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

async function passing(run: (name: string) => Promise<unknown>): Promise<string[]> {
  const names: string[] = [];
  for (const { name } of TOOLS) {
    try {
      await run(name);
      names.push(name);
    } catch {
      // Refused: not among those that pass.
    }
  }
  return names;
}
