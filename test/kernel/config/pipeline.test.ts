import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { one } from '../../../kernel/capabilities.ts';
import { BootFailure } from '../../../kernel/config/pipeline.ts';
import { placeText } from '../../../kernel/lib/placeText.ts';
import { readYaml } from '../../../kernel/lib/readYaml.ts';
import { ConfigControl } from '../../../kernel/contracts/config.ts';
import type { Plugin } from '../../../kernel/contracts/plugin.ts';
import type { Resource, ResourceDraft, ResourceKind } from '../../../kernel/contracts/resource.ts';
import { isError } from '../../../kernel/lib/isError.ts';
import { makeDirectory } from '../../support/directory.ts';
import type { Directory, Files } from '../../support/directory.ts';
import { composeGateway, moduleOf } from '../../support/gateway.ts';
import { pluginOf } from '../../support/kernel.ts';
import { gate } from '../../support/until.ts';

const kind: ResourceKind = {
  name: 'Thing',
  directory: 'things',
  schema: {
    type: 'object',
    required: ['size'],
    additionalProperties: false,
    properties: { size: { type: 'integer' } },
  },
};

/** A small definition store over `things/*.yaml`, written against the hook only; strict beside a file `strict`. */
function store(directory: Directory): Plugin {
  const read = (draft: ResourceDraft): ResourceDraft => {
    const sources = readdirSync(directory.at('things')).map((name) => {
      return [
        name.replace('.yaml', ''),
        readYaml(readFileSync(directory.at(`things/${name}`), 'utf8'), name),
      ] as const;
    });
    const good = sources.filter(([, { issues }]) => issues.length === 0);
    const resources = good.map(([name, source]): Resource => {
      return { kind: 'Thing', name, spec: source.value as Resource['spec'], origin: source };
    });
    const bad = sources.filter(([, { issues }]) => issues.length > 0);
    return {
      resources: [...draft.resources, ...resources],
      unreadable: bad.map(([name]) => ({ kind: 'Thing', name })),
      issues: bad.flatMap(([name, { issues }]) =>
        issues.map((issue) => ({ ...issue, definition: { kind: 'Thing', name } })),
      ),
      isStrict: existsSync(directory.at('strict')),
    };
  };
  return pluginOf('store', (scope) => scope.tap('onConfigLoad', read));
}

interface Owner {
  readonly plugin: Plugin;
  /** The changes passed to onConfigApply, in words. */
  readonly heard: string[];
}
function owner(name = 'owner'): Owner {
  const heard: string[] = [];
  const plugin = pluginOf(
    name,
    (scope) =>
      scope.tap('onConfigApply', ({ added, changed, removed }) => {
        for (const one of added) heard.push(`+${one.name}`);
        for (const one of changed) heard.push(`~${one.name} ${String(one.spec['size'])}`);
        for (const one of removed) heard.push(`-${one.name}`);
      }),
    { kinds: [kind] },
  );
  return { plugin, heard };
}

/** A gateway with a store, the owner of `Thing`, and more plugins of the test. */
async function compose(files: Files = {}, ...more: readonly Plugin[]) {
  const directory = makeDirectory({ 'things/keep.yaml': 'size: 1\n', ...files });
  const { plugin, heard } = owner();
  const plugins = [store(directory), plugin, ...more];
  for (const one of plugins) directory.write(`${one.name}.mjs`, moduleOf(one));
  const entries = plugins.map(({ name }) => `  ${name}: {module: ./${name}.mjs}`).join('\n');
  if (files['config.yaml'] === undefined) directory.write('config.yaml', `plugins:\n${entries}\n`);
  const gateway = await composeGateway({ directory });
  return { ...gateway, heard, entries };
}
async function failureOf(run: () => Promise<unknown>): Promise<BootFailure> {
  try {
    await run();
  } catch (error) {
    if (error instanceof BootFailure) return error;
    throw error;
  }
  throw new Error('expected a BootFailure');
}

describe('Pipeline', () => {
  it('boots: starts the plugins, loads definitions, informs their owner, reports', async () => {
    const { pipeline, heard } = await compose();
    const report = await pipeline.boot();
    expect(report).to.deep.include({ generation: 1, applied: true, issues: [] });
    expect(report.actions).to.deep.equal({ owner: 'start', store: 'start' });
    expect(report.diff).to.deep.equal({ added: ['Thing/keep'], changed: [], removed: [] });
    expect(heard).to.deep.equal(['+keep']);
    expect(pipeline.resources('Thing').map(({ name, spec }) => [name, spec])).to.deep.equal([
      ['keep', { size: 1 }],
    ]);
    expect(pipeline.resources('Other')).to.deep.equal([]);
    expect(pipeline.kinds()).to.deep.equal([kind]);
    expect(pipeline.lastReport()).to.equal(report);
    expect(pipeline.settings().namespace).to.equal('default');
  });

  it('opens its edges once the first definitions are applied, and later edges at once', async () => {
    const order: string[] = [];
    const edge = (name: string): Plugin =>
      pluginOf(name, (scope) => scope.onStart(() => void order.push(`${name} starts`)), { edge: true });
    const slow = pluginOf('slow', (scope) =>
      scope.tap('onConfigApply', async ({ added }) => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push(...added.map(({ name }) => `${name} is applied`));
      }),
    );
    const { pipeline, directory, entries } = await compose({}, slow, edge('front-door'));
    await pipeline.boot();
    expect(order).to.deep.equal(['keep is applied', 'front-door starts']);
    directory.write('later.mjs', moduleOf(edge('later')));
    directory.write('config.yaml', `plugins:\n${entries}\n  later: {module: ./later.mjs}\n`);
    await pipeline.reload();
    expect(order.slice(2)).to.deep.equal(['later starts']);
  });

  it('fails to boot when an edge does not start, and leaves nothing running', async () => {
    const bad = pluginOf('bad', (scope) => scope.onStart(() => Promise.reject(new Error('no door'))), {
      edge: true,
    });
    const { pipeline, kernel } = await compose({}, bad);
    const { issues } = await failureOf(() => pipeline.boot());
    expect(issues.map(({ code, message }) => `${code} ${message}`)).to.deep.equal([
      'PLUGIN_START plugin bad did not start: no door',
    ]);
    expect(kernel.running).to.deep.equal([]);
  });

  it('does nothing when nothing has changed', async () => {
    const { pipeline, heard, kernel } = await compose();
    await pipeline.boot();
    heard.length = 0;
    const running = kernel.running;
    const report = await pipeline.reload();
    expect(report).to.deep.include({ generation: 2, actions: {}, issues: [] });
    expect(heard).to.deep.equal([]);
    expect(kernel.running).to.deep.equal(running);
  });

  it('reports added, changed and removed definitions after an edit', async () => {
    const { pipeline, directory, heard } = await compose({ 'things/gone.yaml': 'size: 1\n' });
    await pipeline.boot();
    heard.length = 0;
    directory.write('things/new.yaml', 'size: 1\n');
    directory.replace('things/keep.yaml', 'size: 2\n');
    directory.remove('things/gone.yaml');
    const report = await pipeline.reload();
    expect(report.diff).to.deep.equal({
      added: ['Thing/new'],
      changed: ['Thing/keep'],
      removed: ['Thing/gone'],
    });
    expect(heard).to.deep.equal(['+new', '~keep 2', '-gone']);
  });

  it('leaves out only the invalid definitions at the start', async () => {
    const { pipeline, heard, log } = await compose({
      'things/a.yaml': 'size: x\n',
      'things/b.yaml': 'size: [\n',
    });
    const { issues } = await pipeline.boot();
    expect(issues.map(({ definition }) => definition)).to.deep.equal([
      { kind: 'Thing', name: 'b' },
      { kind: 'Thing', name: 'a' },
    ]);
    expect(log.having('size must be an integer', 'error')).to.have.length(1);
    expect(heard).to.deep.equal(['+keep']);
  });

  it('fails to boot with every issue of all definitions when their store is strict, and leaves nothing running', async () => {
    const { pipeline, kernel } = await compose({
      strict: '',
      'things/a.yaml': 'size: x\n',
      'things/b.yaml': 'size: 1\ncolour: red\n',
    });
    const { issues, message } = await failureOf(() => pipeline.boot());
    expect(issues.map((issue) => `${placeText(issue) ?? ''} ${issue.message}`)).to.deep.equal([
      'a.yaml:1:1 Thing a: size must be an integer, not "x"',
      'b.yaml:2:1 Thing b: unknown key "colour"; known keys: size',
    ]);
    expect(message).to.contain('2 problems');
    expect(kernel.running).to.deep.equal([]);
  });

  it('fails to boot with every fault of config.yaml and its plugins at once', async () => {
    const { pipeline, directory } = await compose({
      'config.yaml':
        'plugins:\n  missing: {module: ./missing.mjs}\n  broken: {module: ./broken.mjs}\n  unknown: true\n',
      'broken.mjs': 'throw new Error("boom")\n',
    });
    const { issues } = await failureOf(() => pipeline.boot());
    expect(issues.map(({ code, line }) => `${code} ${line ?? ''}`)).to.have.members([
      'PLUGIN_MISSING 2',
      'PLUGIN_IMPORT 3',
      'PLUGIN_MISSING 4',
    ]);
    expect(issues[0]?.file).to.equal(directory.at('config.yaml'));
  });

  it('fails to boot when a plugin does not start, naming it', async () => {
    const bad = pluginOf('bad', (scope) =>
      scope.onStart(() => {
        throw new Error('port is taken');
      }),
    );
    const { pipeline } = await compose({}, bad);
    const { issues } = await failureOf(() => pipeline.boot());
    expect(issues[0]).to.include({
      code: 'PLUGIN_START',
      message: 'plugin bad did not start: port is taken',
    });
  });

  it('starts nothing after a failed boot', async () => {
    let later: Promise<unknown> | undefined;
    const eager = pluginOf('eager', (scope) =>
      scope.onStart(() => {
        later = scope
          .get(ConfigControl)
          .reload()
          .catch((error: unknown) => error);
      }),
    );
    const { pipeline, kernel } = await compose({ strict: '', 'things/a.yaml': 'size: x\n' }, eager);
    await failureOf(() => pipeline.boot());
    expect(await later).to.be.instanceOf(Error);
    expect(kernel.running).to.deep.equal([]);
  });

  it('runs once more, not at the same time, when a plugin asks for a reload while it starts', async () => {
    let later: Promise<{ generation: number }> | undefined;
    const eager = pluginOf('eager', (scope) =>
      scope.onStart(() => {
        later = scope.get(ConfigControl).reload();
      }),
    );
    const { pipeline } = await compose({}, eager);
    expect((await pipeline.boot()).generation).to.equal(1);
    expect((await later!).generation).to.equal(2);
  });

  it('keeps the old plugins when config.yaml breaks live, and still applies definitions', async () => {
    const { pipeline, directory, heard, kernel, entries } = await compose();
    await pipeline.boot();
    heard.length = 0;
    const names = kernel.running.map(({ plugin }) => plugin.name);
    directory.write('things/new.yaml', 'size: 1\n');
    for (const broken of [
      'plugins: [\n',
      'plugnis: {}\n',
      `plugins:\n${entries}\n  gone: {module: ./gone.mjs}\n`,
    ]) {
      directory.write('config.yaml', broken);
      const report = await pipeline.reload();
      expect(report.applied).to.equal(false);
      expect(report.issues).to.have.length(1);
      expect(report.issues[0]).to.include({ file: directory.at('config.yaml') });
      expect(report.issues[0]?.line).to.be.a('number');
      expect(kernel.running.map(({ plugin }) => plugin.name)).to.deep.equal(names);
    }
    expect(heard).to.deep.equal(['+new']);
    directory.write('config.yaml', `plugins:\n${entries}\n`);
    expect(await pipeline.reload()).to.deep.include({ applied: true, issues: [] });
  });

  it('returns to the old plugins when a new one does not start, and reports it', async () => {
    const { pipeline, directory, kernel, entries } = await compose();
    await pipeline.boot();
    const bad = pluginOf('bad', (scope) =>
      scope.onStart(() => {
        throw new Error('boom');
      }),
    );
    directory.write('bad.mjs', moduleOf(bad));
    directory.write('config.yaml', `namespace: other\nplugins:\n${entries}\n  bad: {module: ./bad.mjs}\n`);
    const report = await pipeline.reload();
    expect(report.applied).to.equal(false);
    expect(report.issues[0]?.message).to.contain('plugin bad did not start: boom');
    expect(kernel.running.map(({ plugin }) => plugin.name)).to.deep.equal(['owner', 'store']);
    expect(pipeline.settings().namespace).to.equal('default');
  });

  it('keeps the last good version of a definition that breaks, and reports file, line and column', async () => {
    const { pipeline, directory, heard } = await compose();
    await pipeline.boot();
    heard.length = 0;
    for (const [text, place] of [
      ['size: x\n', 'keep.yaml:1:1'],
      ['size: 1\nsize: 2\n', 'keep.yaml:2:1'],
      ['size: [\n', 'keep.yaml:2:1'],
      ['', 'keep.yaml'],
    ] as const) {
      directory.write('things/keep.yaml', text);
      directory.write('things/other.yaml', `size: ${text.length}\n`);
      const report = await pipeline.reload();
      expect(report.applied).to.equal(true);
      expect(report.issues, text).to.have.length(1);
      expect(placeText(report.issues[0]!)).to.contain(place);
      expect(pipeline.resources('Thing').find(({ name }) => name === 'keep')?.spec).to.deep.equal({
        size: 1,
      });
    }
    expect(heard.filter((word) => word.includes('keep'))).to.deep.equal([]);
    expect(heard).to.include('+other');
    directory.write('things/keep.yaml', 'size: 9\n');
    expect((await pipeline.reload()).issues).to.deep.equal([]);
    expect(heard.at(-1)).to.equal('~keep 9');
  });

  it('accepts an emptied directory as a valid edit', async () => {
    const { pipeline, directory, heard } = await compose();
    await pipeline.boot();
    directory.remove('things/keep.yaml');
    expect((await pipeline.reload()).issues).to.deep.equal([]);
    expect(heard).to.deep.equal(['+keep', '-keep']);
  });

  it('rejects a load in which a tap throws, and keeps all definitions', async () => {
    let isBroken = false;
    const fragile = pluginOf('fragile', (scope) =>
      scope.tap('onConfigLoad', (draft) => {
        if (isBroken) throw new Error('boom');
        return draft;
      }),
    );
    const { pipeline, directory, heard } = await compose({}, fragile);
    await pipeline.boot();
    isBroken = true;
    directory.remove('things/keep.yaml');
    const report = await pipeline.reload();
    expect(report.issues[0]).to.include({ code: 'PLUGIN_TAP' });
    expect(report.issues[0]?.message).to.contain('fragile').and.contain('onConfigLoad');
    expect(pipeline.resources('Thing')).to.have.length(1);
    expect(heard).to.deep.equal(['+keep']);
  });

  it('records a throw in onConfigApply as an issue of that plugin, and runs the others', async () => {
    const bad = pluginOf('a-bad', (scope) =>
      scope.tap('onConfigApply', () => {
        throw new Error('boom');
      }),
    );
    const { pipeline, heard } = await compose({}, bad);
    const report = await pipeline.boot();
    expect(report.issues).to.have.length(1);
    expect(report.issues[0]).to.include({ severity: 'error', code: 'PLUGIN_TAP' });
    expect(report.issues[0]?.message).to.contain('a-bad').and.contain('onConfigApply');
    expect(heard).to.deep.equal(['+keep']);
  });

  it('switches a plugin off and on by an edit of config.yaml', async () => {
    const story: string[] = [];
    const optional = pluginOf('optional', (scope) => {
      scope.onStart(() => void story.push('+'));
      scope.onStop(() => void story.push('-'));
    });
    const { pipeline, directory, entries } = await compose({}, optional);
    await pipeline.boot();
    directory.write('config.yaml', `plugins:\n${entries.replace(/optional: .*/, 'optional: false')}\n`);
    expect((await pipeline.reload()).actions).to.deep.equal({ optional: 'stop' });
    directory.write('config.yaml', `plugins:\n${entries}\n`);
    expect((await pipeline.reload()).actions).to.deep.equal({ optional: 'start' });
    expect(story).to.deep.equal(['+', '-', '+']);
  });

  it('hands a plugin its own checked configuration, and restarts only the plugin whose part has changed', async () => {
    const seen: unknown[] = [];
    const tuned = pluginOf('tuned', (scope) => void seen.push(scope.config), {
      configSchema: {
        type: 'object',
        additionalProperties: false,
        properties: { limit: { type: 'integer', default: 5 }, name: { type: 'string' } },
      },
      check: (config) =>
        (config as { limit: number }).limit === 13 ? [{ path: ['limit'], message: 'brings bad luck' }] : [],
    });
    const { pipeline, directory, entries } = await compose({}, tuned);
    await pipeline.boot();
    const write = (config: string): void =>
      directory.write(
        'config.yaml',
        `plugins:\n${entries}\n`.replace('./tuned.mjs}', `./tuned.mjs, config: {${config}}}`),
      );
    write('name: x');
    expect((await pipeline.reload()).actions).to.deep.equal({ tuned: 'restart' });
    expect(seen).to.deep.equal([{ limit: 5 }, { limit: 5, name: 'x' }]);
    for (const [config, message] of [
      ['limt: 1', 'plugin tuned: unknown key "limt"; did you mean "limit"?'],
      ['limit: a', 'plugin tuned: limit must be an integer, not "a"'],
      ['limit: 13', 'plugin tuned: brings bad luck'],
    ] as const) {
      write(config);
      const { applied, issues } = await pipeline.reload();
      expect(applied).to.equal(false);
      expect(issues.map((issue) => [issue.message, issue.line])).to.deep.equal([[message, 4]]);
    }
    expect(seen).to.have.length(2);
  });

  it('serves a reload requested during a run by the one run that begins after it', async () => {
    const { opened, open } = gate();
    let loads = 0;
    const slow = pluginOf('slow', (scope) =>
      scope.tap('onConfigLoad', async (draft) => {
        if ((loads += 1) === 2) await opened;
        return draft;
      }),
    );
    const { pipeline, directory } = await compose({}, slow);
    await pipeline.boot();
    const first = pipeline.reload();
    directory.write('things/late.yaml', 'size: 1\n');
    const joined = [pipeline.reload(), pipeline.reload(), pipeline.reload()];
    open();
    const generations = (await Promise.all([first, ...joined])).map(({ generation }) => generation);
    expect(generations).to.deep.equal([2, 3, 3, 3]);
    expect(pipeline.resources('Thing')).to.have.length(2);
    expect(loads).to.equal(3);
  });

  it('merges unsaved edits over config.yaml with the next reload, and drops them again', async () => {
    const { pipeline } = await compose();
    await pipeline.boot();
    pipeline.amend(() => ({ namespace: 'edited' }));
    expect(pipeline.settings().namespace).to.equal('default');
    await pipeline.reload();
    expect(pipeline.settings().namespace).to.equal('edited');
    pipeline.amend(undefined);
    await pipeline.reload();
    expect(pipeline.settings().namespace).to.equal('default');
  });

  it('keeps the settings while config.yaml has a text that is held, and reads every text again after that', async () => {
    const { pipeline, directory, entries } = await compose();
    await pipeline.boot();
    const before = pipeline.text;
    pipeline.hold((text) => text.startsWith('namespace: half'));
    directory.write('config.yaml', `namespace: half\nplugins:\n${entries}\n`);
    const { applied, issues } = await pipeline.reload();
    expect(applied).to.equal(false);
    expect(issues.map(({ message }) => message)).to.deep.equal([
      'config.yaml may be half written; until it is whole, its last settings stay',
    ]);
    expect([pipeline.settings().namespace, pipeline.text]).to.deep.equal(['default', before]);
    pipeline.hold(undefined);
    expect((await pipeline.reload()).applied).to.equal(true);
    expect(pipeline.settings().namespace).to.equal('half');
    expect(pipeline.text).to.contain('namespace: half');
  });

  it('checks a definition as a load would, without storing anything', async () => {
    const { pipeline } = await compose();
    await pipeline.boot();
    expect(pipeline.validate('Thing', 'x', { size: 1 })).to.deep.equal([]);
    expect(pipeline.validate('Thing', 'x', { size: 'a' })[0]?.message).to.equal(
      'Thing x: size must be an integer, not "a"',
    );
    expect(pipeline.validate('Thnig', 'x', {})[0]?.code).to.equal('CONFIG_REFERENCE');
    expect(pipeline.resources('Thing')).to.have.length(1);
  });

  it('keeps the settings when config.yaml is emptied, cut or gone, and reports when it is valid again', async () => {
    const { pipeline, directory, kernel, log, entries } = await compose();
    const names = (): readonly string[] => kernel.running.map(({ plugin }) => plugin.name);
    await pipeline.boot();
    expect(names()).to.include('owner');
    for (const text of ['', ' \n\t\n', 'plugins:', 'namespace: other\nplugins:\n', undefined]) {
      if (text === undefined) directory.remove('config.yaml');
      else directory.write('config.yaml', text);
      const { applied, issues } = await pipeline.reload();
      expect(applied).to.equal(false);
      expect(issues.map(({ code, message }) => `${code} ${message}`)).to.deep.equal([
        'CONFIG_UNREADABLE config.yaml is empty, cut or gone; its last settings stay in force: restore it, or restart for defaults',
      ]);
      expect(names()).to.include('owner');
    }
    expect(log.having('is empty, cut or gone')).to.have.length(1);
    directory.write('config.yaml', `plugins:\n${entries}\n`);
    expect((await pipeline.reload()).applied).to.equal(true);
    expect(log.having('valid again', 'warn')).to.have.length(1);
    directory.write('config.yaml', 'plugins:\n# all defaults\n');
    expect((await pipeline.reload()).actions).to.include({ owner: 'stop' });
  });

  it('fails to boot without a plugin that `required` names', async () => {
    const { pipeline } = await compose({ 'config.yaml': 'required:\n  - guard\n  - limits\n' });
    const { issues } = await failureOf(() => pipeline.boot());
    expect(issues.map(({ line, message }) => `${line ?? ''} ${message}`)).to.deep.equal([
      '2 required plugin guard does not run; switch it on below plugins',
      '3 required plugin limits does not run; switch it on below plugins',
    ]);
  });

  it('refuses every live edit that switches off, changes or unlists a required plugin', async () => {
    const schema: Plugin['configSchema'] = { type: 'object', properties: { level: { type: 'integer' } } };
    const guard = pluginOf('guard', () => undefined, { configSchema: schema });
    const { pipeline, directory, kernel, entries, log } = await compose({}, guard);
    const others = entries.replace(/^ {2}guard: .*$/m, '');
    const write = (head: string, own: string): void =>
      directory.write('config.yaml', `${head}\nplugins:\n${others}\n${own}\n`);
    const own = '  guard: {module: ./guard.mjs, config: {level: 1}}';
    write('required: [guard]', own);
    await pipeline.boot();
    const levels = (): unknown[] =>
      kernel.running.flatMap(({ plugin, config }) => (plugin === guard ? [config] : []));
    const bad: readonly (readonly [string, string, number])[] = [
      ['required: [guard]', '  guard: false', 6],
      ['required: [guard]', '', 2],
      ['required: [guard]', own.replace('1', '2'), 6],
      ['required: []', own, 1],
      ['', own, 2],
    ];
    for (const [head, text, line] of bad) {
      write(head, text);
      const { applied, issues } = await pipeline.reload();
      expect(applied).to.equal(false);
      const errors = issues.filter(isError);
      expect(errors.map((issue) => [issue.line, issue.message])).to.deep.equal([
        [
          line,
          'plugin guard is required, so it cannot be switched off, changed or taken off the list while Pegboard runs; restart for that',
        ],
      ]);
      expect(levels()).to.deep.equal([{ level: 1 }]);
    }
    expect(log.having('plugin guard is required', 'error')).to.have.length(5);
    write('required: [owner, guard]\nnamespace: other', own);
    expect((await pipeline.reload()).applied).to.equal(true);
    write('required: [guard]', own);
    expect((await pipeline.reload()).issues[0]?.message).to.match(/^plugin owner is required/);
  });

  it('starts without a config.yaml, and keeps running without one', async () => {
    const { pipeline, directory } = await compose({ 'config.yaml': '' });
    await pipeline.boot();
    directory.remove('config.yaml');
    expect((await pipeline.reload()).applied).to.equal(true);
  });

  it('emits config.applied and config.rejected with the report', async () => {
    const events: string[] = [];
    const listener = pluginOf('listener', (scope) =>
      scope.tap('onEvent', (event) => {
        if (event.type === 'config.applied' || event.type === 'config.rejected')
          events.push(`${event.type} ${event.report.generation}`);
      }),
    );
    const { pipeline, directory } = await compose({}, listener);
    await pipeline.boot();
    directory.write('config.yaml', 'plugins: [\n');
    await pipeline.reload();
    expect(events).to.deep.equal(['config.applied 1', 'config.rejected 2']);
  });

  it('logs a persistent issue only once', async () => {
    const { pipeline, directory, log } = await compose();
    await pipeline.boot();
    directory.write('things/keep.yaml', 'size: x\n');
    await pipeline.reload();
    await pipeline.reload();
    expect(log.having('size must be an integer', 'error')).to.have.length(1);
    expect(log.having('size must be an integer')[0]?.data).to.include({ at: 'keep.yaml:1:1' });
  });

  it('checks without starting anything, and names every issue', async () => {
    let started = false;
    const plugin = pluginOf('starter', (scope) => scope.onStart(() => void (started = true)));
    const { pipeline, directory } = await compose({ 'things/a.yaml': 'size: x\n' }, plugin);
    expect((await pipeline.check()).map(({ message }) => message)).to.deep.equal([
      'Thing a: size must be an integer, not "x"',
    ]);
    directory.remove('things/a.yaml');
    expect(await pipeline.check()).to.deep.equal([]);
    expect(started).to.equal(false);
  });

  it('refuses two plugins that provide one capability', async () => {
    const provides = [one('test/pool')];
    const { pipeline } = await compose(
      {},
      pluginOf('p1', undefined, { provides }),
      pluginOf('p2', undefined, { provides }),
    );
    const { issues } = await failureOf(() => pipeline.boot());
    expect(issues[0]).to.include({ code: 'CONFIG_REFERENCE' });
    expect(issues[0]?.message).to.contain('p1 and p2');
    expect(await pipeline.check()).to.have.length(1);
  });

  it('survives a hundred edits and reloads at once', async () => {
    const { pipeline, directory } = await compose();
    await pipeline.boot();
    const reloads = Array.from({ length: 100 }, (_, at) => {
      directory.write(`things/t${at}.yaml`, `size: ${at}\n`);
      return pipeline.reload();
    });
    const reports = await Promise.all(reloads);
    expect(new Set(reports.map(({ generation }) => generation)).size).below(4);
    expect(pipeline.resources('Thing')).to.have.length(101);
  });
});
