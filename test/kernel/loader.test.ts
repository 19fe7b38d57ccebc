import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { builtInNames, loadBuiltIn, loadModule } from '../../kernel/loader.ts';
import { makeDirectory } from '../support/directory.ts';
import { refusalOf } from '../support/kernel.ts';
import { ROOT } from '../support/sources.ts';
import { join } from 'node:path';

function source(name: string, more = ''): string {
  return `export const plugin = { name: '${name}', api: 1, configSchema: {}, apply() {}, ${more} };\n`;
}
const MANIFEST = JSON.stringify({ name: 'pegboard-store-acme', type: 'module', exports: './index.js' });

describe('Loader', () => {
  it('lists the built-in plugins, and loads each by its name', async () => {
    const names = await builtInNames();
    expect(names).to.include.members(['front', 'http']);
    expect([...names].sort()).to.deep.equal(names);
    for (const name of names) expect((await loadBuiltIn(name)).name).to.equal(name);
  });

  it('reports that an unknown name without module is not built in, and what to write', async () => {
    const error = await refusalOf(() => loadBuiltIn('acme'));
    expect(error.code).to.equal('PLUGIN_MISSING');
    expect(error.message).to.equal(
      "no built-in plugin is named acme; a third party's plugin needs plugins.acme.module",
    );
    expect((await refusalOf(() => loadBuiltIn('../kernel'))).code).to.equal('PLUGIN_MISSING');
  });

  it('loads by a path relative to config.yaml, absolute, or a folder with a package.json', async () => {
    const { path, at } = makeDirectory({
      'p.mjs': source('acme'),
      'folder/package.json': JSON.stringify({ type: 'module', main: './start.js' }),
      'folder/start.js': source('acme'),
    });
    for (const module of ['./p.mjs', at('p.mjs'), './folder', `../${path.split('/').at(-1) ?? ''}/p.mjs`]) {
      expect((await loadModule('acme', module, path)).name, module).to.equal('acme');
    }
  });

  it('loads by npm name, looked up from the directory of config.yaml', async () => {
    const { path } = makeDirectory({
      'node_modules/pegboard-store-acme/package.json': MANIFEST,
      'node_modules/pegboard-store-acme/index.js': source('acme'),
      'node_modules/@acme/store/package.json': JSON.stringify({
        name: '@acme/store',
        type: 'module',
        main: 'm.js',
      }),
      'node_modules/@acme/store/m.js': source('scoped'),
    });
    expect((await loadModule('acme', 'pegboard-store-acme', path)).name).to.equal('acme');
    expect((await loadModule('scoped', '@acme/store', path)).name).to.equal('scoped');
  });

  it('loads a package whose exports are for import only', async () => {
    const { path } = makeDirectory({
      'node_modules/esm-only/package.json': JSON.stringify({
        name: 'esm-only',
        type: 'module',
        exports: { '.': { import: './index.js' } },
      }),
      'node_modules/esm-only/index.js': source('acme'),
    });
    expect((await loadModule('acme', 'esm-only', path)).name).to.equal('acme');
  });

  it("resolves pegboard to the gateway's copy for a plugin without its own", async () => {
    const text = `import { definePlugin, one, STAGE, GatewayError } from 'pegboard';
      export const plugin = definePlugin({ name: 'acme', api: 1, configSchema: {}, provides: [one('acme/x')], apply() {
        throw new GatewayError('PLUGIN_START', String(STAGE.admit));
      } });\n`;
    const { path } = makeDirectory({
      'p.mjs': text,
      'node_modules/pegboard-store-acme/package.json': MANIFEST,
      'node_modules/pegboard-store-acme/index.js': text,
    });
    const { GatewayError } = await import('../../kernel/errors.ts');
    for (const module of ['./p.mjs', 'pegboard-store-acme']) {
      const plugin = await loadModule('acme', module, path);
      expect(() => plugin.apply(undefined as never)).to.throw(GatewayError, '20');
    }
  });

  it('resolves pegboard/contracts, pegboard/kit and pegboard/net to the same copy for such a plugin', async () => {
    const { path } = makeDirectory({
      'p.mjs': `import { Vault } from 'pegboard/contracts';
        import { parseDuration } from 'pegboard/kit';
        import { guardedFetch } from 'pegboard/net';
        ${source('acme', 'Vault, parseDuration, guardedFetch')}`,
    });
    const { Vault } = await import('../../plugins/contracts.ts');
    const { parseDuration } = await import('../../plugins/kit.ts');
    const { guardedFetch } = await import('../../plugins/kit/net/index.ts');
    const plugin = await loadModule('acme', './p.mjs', path);
    expect(plugin).to.include({ Vault, parseDuration, guardedFetch });
  });

  it("prefers a plugin's own copy of pegboard", async () => {
    const { path } = makeDirectory({
      'p.mjs': "import { mine } from 'pegboard';\n" + source('acme', 'mine'),
      'node_modules/pegboard/package.json': JSON.stringify({
        name: 'pegboard',
        type: 'module',
        exports: './i.js',
      }),
      'node_modules/pegboard/i.js': 'export const mine = true;\n',
    });
    expect(await loadModule('acme', './p.mjs', path)).to.have.property('mine', true);
  });

  it('reports how to install a missing package', async () => {
    const { path } = makeDirectory();
    const error = await refusalOf(() => loadModule('acme', '@acme/store', path));
    expect(error.code).to.equal('PLUGIN_MISSING');
    expect(error.message).to.equal(
      `plugin acme: module @acme/store is not there; run: npm install --prefix ${path} @acme/store`,
    );
  });

  it('reports which path is missing, and which key to look at', async () => {
    const { path, at } = makeDirectory();
    const error = await refusalOf(() => loadModule('acme', './p.mjs', path));
    expect(error.code).to.equal('PLUGIN_MISSING');
    expect(error.message).to.equal(
      `plugin acme: module ${at('p.mjs')} is not there; check plugins.acme.module`,
    );
  });

  it("distinguishes a plugin's own failure from a missing plugin, cause attached", async () => {
    const { path } = makeDirectory({
      'throws.mjs': 'throw new TypeError("boom");\n',
      'syntax.mjs': 'export const plugin = {;\n',
      'needs.mjs': "import 'left-pad-of-acme';\n",
      'needs-file.mjs': "import './not-there.mjs';\n",
      'node_modules/needing/package.json': JSON.stringify({
        name: 'needing',
        type: 'module',
        exports: './i.js',
      }),
      'node_modules/needing/i.js': "import 'left-pad-of-acme';\n",
    });
    for (const [module, words] of [
      ['./throws.mjs', 'boom'],
      ['./syntax.mjs', ''],
      ['./needs.mjs', 'left-pad-of-acme'],
      ['./needs-file.mjs', 'not-there.mjs'],
      ['needing', 'left-pad-of-acme'],
    ] as const) {
      const error = await refusalOf(() => loadModule('acme', module, path));
      expect(error.code, module).to.equal('PLUGIN_IMPORT');
      expect(error.message).to.contain('plugin acme').and.contain(words);
      expect(error.cause).to.be.instanceOf(Error);
    }
  });

  it('names file and line of a module that does not parse or throws, also of an imported one', async () => {
    const broken = 'export const a = 1;\nconst b = ,;\n';
    const { path, at } = makeDirectory({
      'syntax.mjs': broken,
      'imports.mjs': "import { a } from './lib/inner.mjs';\nexport const plugin = a;\n",
      'lib/inner.mjs': "export * from './deep.mjs';\n",
      'lib/deep.mjs': broken,
      'export.mjs': "\nimport { nothing } from './lib/other.mjs';\n",
      'lib/other.mjs': '',
      'throws.mjs': '\n\nthrow new TypeError("boom");\n',
      'node_modules/acme/package.json': JSON.stringify({ name: 'acme', type: 'module', exports: './i.js' }),
      'node_modules/acme/i.js': broken,
    });
    for (const [module, place, words] of [
      ['./syntax.mjs', 'syntax.mjs:2', "Unexpected token ','"],
      ['./imports.mjs', 'lib/deep.mjs:2', "Unexpected token ','"],
      ['acme', 'node_modules/acme/i.js:2', "Unexpected token ','"],
      ['./export.mjs', 'export.mjs:2', 'nothing'],
      ['./throws.mjs', 'throws.mjs:3', 'boom'],
    ] as const) {
      const { code, message } = await refusalOf(() => loadModule('acme', module, path));
      expect(code).to.equal('PLUGIN_IMPORT');
      expect(message)
        .to.contain(`plugin acme: importing ${module} failed at ${at(place)}: `)
        .and.contain(words);
    }
  });

  it('tells the file of a CommonJS plugin that requires pegboard, and what to write; that form loads', async () => {
    const required = "const { definePlugin } = require('pegboard');\n";
    const written = `exports.plugin = {
      name: 'acme', api: 1, configSchema: {}, apply() {}, ask: async () => (await import('pegboard')).messageOf(new Error('asked')),
    };\n`;
    const { path, at } = makeDirectory({
      'p.cjs': required,
      'outer.cjs': "require('./lib/$1.cjs');\n",
      'lib/$1.cjs': "require('pegboard/contracts');\n",
      'node_modules/pegboard-acme/package.json': '{ "name": "pegboard-acme", "main": "./start.js" }',
      'node_modules/pegboard-acme/start.js': required,
      'another.cjs': "require('pegboard-of-another');\n",
      'written.cjs': written,
    });
    for (const [module, file, wanted] of [
      ['./p.cjs', 'p.cjs', 'pegboard'],
      ['./outer.cjs', 'lib/$1.cjs', 'pegboard/contracts'],
      ['pegboard-acme', 'node_modules/pegboard-acme/start.js', 'pegboard'],
    ] as const) {
      const { message } = await refusalOf(() => loadModule('acme', module, path));
      expect(message).to.equal(
        `plugin acme: importing ${module} failed: ${at(file)} has require('${wanted}'), which CommonJS does not find; ` +
          `write import … from '${wanted}' in a file named .mjs, or below a package.json with "type": "module" ` +
          `(in TypeScript: module nodenext), or await import('${wanted}') in a function`,
      );
    }
    const { message } = await refusalOf(() => loadModule('acme', './another.cjs', path));
    expect(message).to.contain("Cannot find module 'pegboard-of-another'");
    const plugin: object = await loadModule('acme', './written.cjs', path);
    expect(await (plugin as { ask: () => Promise<string> }).ask()).to.equal('asked');
  });

  it('names the part of a plugin that breaks the contract', async () => {
    const modules: Readonly<Record<string, readonly [string, string]>> = {
      'none.mjs': ['export default {};\n', 'no export named "plugin"'],
      'name.mjs': [source('other'), 'its name is "other"; use that key below plugins'],
      'api.mjs': [source('acme', 'api: 2'), '"api" is 2, this Pegboard speaks 1'],
      'noapi.mjs': ["export const plugin = { name: 'acme' };\n", '"api" is'],
      'apply.mjs': [source('acme', 'apply: 1'), '"apply" is not a function'],
      'schema.mjs': [source('acme', 'configSchema: undefined'), '"configSchema" is missing'],
      'bad-schema.mjs': [
        source('acme', "configSchema: { type: 'strnig' }"),
        '"configSchema" does not compile',
      ],
      'requires.mjs': [source('acme', "requires: ['http']"), '"requires"'],
    };
    const { path } = makeDirectory(
      Object.fromEntries(Object.entries(modules).map(([name, [text]]) => [name, text])),
    );
    for (const [module, [, words]] of Object.entries(modules)) {
      const error = await refusalOf(() => loadModule('acme', `./${module}`, path));
      expect(error.code, module).to.equal('PLUGIN_CONTRACT');
      expect(error.message).to.contain('plugin acme').and.contain(words).and.contain('plugins/README.md');
    }
    expect(existsSync(join(ROOT, 'plugins/README.md')), 'plugins/README.md').to.equal(true);
  });
});
