import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import type { PluginFacts } from '../../../../plugins/cli/graph/pluginFacts.ts';
import { makeDirectory } from '../../../support/directory.ts';
import type { Files } from '../../../support/directory.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import type { Typed } from '../../../support/typeVerb.ts';

const MANIFEST = `
import { writeFileSync } from 'node:fs';
import { Vault } from 'pegboard/contracts';
import { many, one } from 'pegboard';
export const plugin = {
  name: 'acme',
  api: 1,
  configSchema: { type: 'object' },
  requires: [Vault],
  asks: [one('acme-link')],
  provides: [many('acme-source')],
  apply: () => writeFileSync(new URL('applied', import.meta.url), ''),
};`;
const ACME = 'acme: { module: ./acme.mjs }';

describe('pegboard plugins', function () {
  this.timeout(30_000);
  const typed = (files: Files, ...args: readonly string[]): Promise<Typed> =>
    typeVerb(['plugins', ...args, '--config-path', makeDirectory(files).path]);
  const factsIn = async (files: Files): Promise<ReadonlyMap<string, PluginFacts>> => {
    const { stdout, stderr } = await typed(files, '-o', 'json');
    expect(stderr).equal('');
    const { plugins } = JSON.parse(stdout) as { readonly plugins: readonly PluginFacts[] };
    return new Map(plugins.map((one) => [one.name, one]));
  };

  it('prints who runs, floor by floor, with whom it waits for, and why the others are off', async () => {
    const { code, stdout, stderr } = await typed({});
    expect({ code, stderr }).deep.equal({ code: 0, stderr: '' });
    const [on, off, ...more] = stdout.split('\n\n');
    expect(more).deep.equal([]);
    expect(on).match(
      /^FLOOR +PLUGIN +WAITS FOR\n1 +call-log\n {8}docs\n {8}isolate\n {8}live-reload\n {8}memory\n/,
    );
    expect(on)
      .match(/\n2 +auth-client +vault-file\n/)
      .and.match(/\n {8}core-mcpservers +references\n/);
    expect(on).match(/\nedge +http +memory$/);
    expect(off).match(/^OFF +WHY\naccess +access is not set\n/);
    expect(off).match(/\nstore-kubernetes +orchestrator is false\n/);
  });

  it('-o wide adds the capabilities', async () => {
    const { stdout } = await typed({}, '-o', 'wide');
    expect(stdout).match(/^FLOOR +PLUGIN +WAITS FOR +PROVIDES +REQUIRES +USES +ASKS\n/);
    expect(stdout).match(/\n {8}settings-file +settings-store +config-control\n/);
    expect(stdout).match(/\nOFF +WHY +PROVIDES +REQUIRES +USES +ASKS\n/);
  });

  it("has a third party's plugin among the others, and wires none", async () => {
    const directory = makeDirectory({ 'config.yaml': `plugins: { ${ACME} }\n`, 'acme.mjs': MANIFEST });
    const run = (output: string): Promise<Typed> =>
      typeVerb(['plugins', '-o', output, '--config-path', directory.path]);
    const [json, yaml, text] = await Promise.all(['json', 'yaml', 'text'].map(run));
    const { plugins, ...others } = JSON.parse(json?.stdout ?? '') as { plugins: PluginFacts[] };
    expect(others).deep.equal({ directory: directory.path, issues: [] });
    expect(plugins.find(({ name }) => name === 'acme')).deep.equal({
      name: 'acme',
      state: 'on',
      module: './acme.mjs',
      floor: 2,
      waits: ['vault-file'],
      edge: false,
      provides: ['acme-source'],
      requires: ['vault'],
      uses: [],
      asks: ['acme-link'],
    });
    expect(parse(yaml?.stdout ?? '')).deep.equal({ ...others, plugins });
    expect(text?.stdout).match(/\n2 +acme \(.\/acme.mjs\) +vault-file\n/);
    expect(existsSync(directory.at('applied')), 'apply() was called').equal(false);
  });

  it('says what a plugin lacks, and who could provide it', async () => {
    const files = {
      'config.yaml': `plugins: { ${ACME}, vault-file: false }\n`,
      'acme.mjs': MANIFEST,
    };
    const { code, stdout } = await typed(files);
    expect(code).equal(1);
    const off = [
      'vault-file (plugins.vault-file is false)',
      'vault-memory (plugins.vault-memory is not set)',
      'vault-redis (plugins.vault-redis is not set)',
    ];
    expect(stdout)
      .match(/\nBLOCKED +WHY\n/)
      .and.contain(`requires vault, but its providers are off: ${off.join(', ')}\n`);
    const facts = await factsIn({ 'config.yaml': 'plugins: { store-file: false }\n' });
    expect(facts.get('workflow')).deep.include({
      state: 'blocked',
      why: 'requires resource-store, but its providers are off: store-file (plugins.store-file is false), store-kubernetes (orchestrator is false)',
    });
    expect(facts.get('workflow')).not.property('floor');
    expect(facts.get('metatools')).include({ state: 'on' });
    const alone = await factsIn({
      'config.yaml': 'plugins: { hen: { module: ./hen.mjs } }\n',
      'hen.mjs': manifest('hen', 'egg'),
    });
    expect(alone.get('hen')?.why).equal('requires egg, which no plugin provides');
  });

  it('says which plugins exclude one another, and which wait in a circle', async () => {
    const both = await factsIn({ 'config.yaml': 'plugins: { vault-memory: {} }\n' });
    expect(both.get('vault-file')?.why).equal(
      'provides vault, and so does vault-memory; switch one of them off',
    );
    const circle = await factsIn({
      'config.yaml': 'plugins: { hen: { module: ./hen.mjs }, egg: { module: ./egg.mjs } }\n',
      'hen.mjs': manifest('hen', 'egg'),
      'egg.mjs': manifest('egg', 'hen'),
    });
    expect(circle.get('hen')).deep.include({
      state: 'blocked',
      why: 'waits for plugins that wait for it in a circle',
      waits: ['egg'],
    });
  });

  it('names what is wrong with the configuration, with exit code 1', async () => {
    const broken = await typed({ 'config.yaml': 'plugins: [\n' });
    expect(broken).include({ code: 1, stdout: '' });
    expect(broken.stderr).match(/config\.yaml:\d+:\d+: error: .* \(CONFIG_\w+\)\n/);
    const missing = await typed({ 'config.yaml': `plugins: { ${ACME} }\n` });
    expect(missing.code).equal(1);
    expect(missing.stdout).match(/^FLOOR /);
    expect(missing.stderr).match(/config\.yaml:1:\d+: error: plugin acme: module .* \(PLUGIN_MISSING\)\n$/);
    const { path } = makeDirectory();
    rmSync(path, { recursive: true });
    const gone = await typeVerb(['plugins', '--config-path', path]);
    mkdirSync(path);
    expect(gone).deep.equal({
      code: 1,
      stdout: '',
      stderr: `pegboard: ${path} does not exist; correct --config-path, or create it\n`,
    });
  });
});

function manifest(name: string, requires: string): string {
  return `import { one } from 'pegboard';
export const plugin = { name: '${name}', api: 1, configSchema: {}, apply() {}, requires: [one('${requires}')], provides: [one('${name}')] };`;
}
