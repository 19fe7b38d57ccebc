import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { defaultSettings, loadSettings } from '../../../kernel/config/settings.ts';
import type { JsonObject } from '../../../kernel/contracts/json.ts';
import { makeDirectory } from '../../support/directory.ts';

async function load(text: string | undefined, ...overlays: JsonObject[]) {
  const directory = makeDirectory(text === undefined ? {} : { 'config.yaml': text });
  const loaded = await loadSettings(directory.path, () => overlays);
  const issues = loaded.issues.map(({ line, column, message }) => `${line}:${column} ${message}`);
  return { ...loaded, texts: issues, file: directory.at('config.yaml') };
}

describe('loadSettings', () => {
  it('uses the defaults for a missing, empty or commented config.yaml', async () => {
    for (const text of [undefined, '', '# aggregator:\n']) {
      const { settings, issues } = await load(text);
      expect(issues).to.deep.equal([]);
      expect(settings).to.deep.equal(defaultSettings());
    }
    expect(defaultSettings().aggregator).to.include({
      host: 'localhost',
      port: 8090,
      transport: 'streamable-http',
    });
  });

  it('lets overlays win, in their order, key by key', async () => {
    const { settings } = await load(
      'aggregator: {port: 1, host: h}\n',
      { aggregator: { port: 2 } },
      { aggregator: { port: 3 } },
    );
    expect(settings?.aggregator).to.include({ port: 3, host: 'h' });
  });

  it('reports a fault in the file although an overlay covers it', async () => {
    for (const port of ['x', '70000']) {
      const { settings, texts } = await load(`aggregator:\n  port: ${port}\n`, { aggregator: { port: 1 } });
      expect(settings).to.equal(undefined);
      expect(texts[0]).to.match(/^2:3 aggregator\.port must be /);
    }
  });

  it('reads a section whose lines are all comments as absent', async () => {
    const flags = { aggregator: { port: 1 } };
    const { settings, texts } = await load('plugins:\n#  deny: true\naggregator:\ntoolsetPresets:\n', flags);
    expect(texts).to.deep.equal([]);
    expect(settings).to.deep.include({ plugins: {}, toolsetPresets: {} });
    expect(settings?.aggregator.port).to.equal(1);
  });

  it('reports a file that is not UTF-8 instead of decoding it differently', async () => {
    const directory = makeDirectory();
    writeFileSync(directory.at('config.yaml'), Buffer.from('namespace: caf\xe9\n', 'latin1'));
    const { settings, issues } = await loadSettings(directory.path, () => []);
    expect(settings).to.equal(undefined);
    expect(issues[0]).to.include({ message: 'the file is not UTF-8 text; save it as UTF-8' });
  });

  it('names file, line and column of an unknown key, and suggests the key that was meant', async () => {
    const { settings, issues, texts, file } = await load('namespace: a\naggregator:\n  prt: 1\n');
    expect(settings).to.equal(undefined);
    expect(texts).to.deep.equal(['3:3 unknown key "prt"; did you mean "port"?']);
    expect(issues[0]).to.include({ severity: 'error', code: 'CONFIG_INVALID', file });
  });

  it('names all faults at once', async () => {
    const { texts } = await load('aggregator: {port: 70000, transport: smoke}\nplugnis: {}\n');
    expect(texts).to.have.length(3);
  });

  it('reports wrong types although the command line overrides the key', async () => {
    const flags = { aggregator: {} };
    expect((await load('aggregator: 5\n', flags)).texts).to.deep.equal([
      '1:1 aggregator must be an object, not that',
    ]);
    expect((await load('aggregator: [1]\n', flags)).settings).to.equal(undefined);
    expect((await load('- a\n- b\n', flags)).settings).to.equal(undefined);
    expect((await load('just words\n', flags)).settings).to.equal(undefined);
  });

  it('reports why a file cannot be read instead of treating it as empty', async () => {
    const directory = makeDirectory();
    mkdirSync(directory.at('config.yaml'));
    const { settings, issues } = await loadSettings(directory.path, () => []);
    expect(settings).to.equal(undefined);
    expect(issues[0]).to.include({ code: 'CONFIG_UNREADABLE', file: directory.at('config.yaml') });
  });

  it('reports that it lacks permission to read the file', async function () {
    if (process.getuid?.() === 0) this.skip();
    const directory = makeDirectory({ 'config.yaml': '' });
    chmodSync(directory.at('config.yaml'), 0);
    expect((await loadSettings(directory.path, () => [])).issues[0]).to.include({
      code: 'CONFIG_UNREADABLE',
    });
  });

  it('passes on syntax errors with their position', async () => {
    const { texts } = await load('a: [1\n');
    expect(texts[0]).to.match(/^[12]:\d+ /);
  });
});
