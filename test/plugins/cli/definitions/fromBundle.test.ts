import { dirname } from 'node:path';
import { expect } from 'chai';
import { makeDirectory } from '../../../support/directory.ts';
import { added } from '../add/added.ts';
import type { Added } from '../add/added.ts';

async function addFile(
  value: object,
  { more = [], name = 'manifest.json' }: { readonly more?: readonly string[]; readonly name?: string } = {},
): Promise<Added> {
  const path = makeDirectory({ [name]: JSON.stringify(value) }).at(name);
  const result = await added([path, ...more]);
  const without = (text: string): string => text.replaceAll(dirname(path), 'AT');
  return { ...result, shown: without(result.shown), stderr: without(result.stderr) };
}

const BUNDLE = {
  manifest_version: '0.3',
  name: 'b',
  server: {
    type: 'node',
    entry_point: 'server/index.js',
    mcp_config: {
      command: 'node',
      args: ['${__dirname}${/}server${/}index.js', '${user_config.folders}', '--mode=${user_config.mode}'],
      env: { API_KEY: '${user_config.api_key}', HOST: '${user_config.host}', EMPTY: '${user_config.none}' },
    },
  },
  user_config: {
    folders: { type: 'directory', multiple: true, required: true, title: 'Folders' },
    mode: { type: 'string', default: 'fast' },
    host: { type: 'string', default: 'h.test' },
    api_key: { type: 'string', sensitive: true, required: true, description: 'the key' },
    none: { type: 'string' },
  },
};

describe('The manifest of an MCP bundle', () => {
  it('is run in its folder, with the values of its settings', async () => {
    const more = ['--set', 'folders=/x', '--set', 'folders=/y', '--set', 'api_key=hush'];
    const { shown, secrets, stderr } = await addFile(BUNDLE, { more });
    expect(shown, stderr).equal(
      'b: node AT/server/index.js /x /y --mode=fast {"cwd":"AT","env":{"API_KEY":"${file:secrets/b.API_KEY}","HOST":"h.test"}}',
    );
    expect(secrets).deep.equal({ 'b.API_KEY': 'hush' });
  });

  it('names the settings that are missing', async () => {
    const { stderr, name } = await addFile(BUNDLE);
    expect(name).equal(undefined);
    expect(stderr).contain('--set folders=…  Folders').and.contain('--set api_key=…  the key');
  });

  it('refuses flags that mean nothing to it', async () => {
    for (const [more, words] of [
      [['--package', 'npm'], '--package is for a server.json; a manifest has one server'],
      [['--header', 'a=b'], '--header and --transport are for a URL'],
    ] as const)
      expect((await addFile({ ...BUNDLE, user_config: {} }, { more })).stderr).contain(words);
  });

  it('may have names that every object has', async () => {
    const config = { command: 'node', args: ['${user_config.constructor}', '${toString}', '${valueOf}'] };
    const file = {
      manifest_version: '0.3',
      name: 'b',
      server: { mcp_config: config },
      user_config: { constructor: {}, valueOf: { default: 'v' } },
    };
    expect((await addFile(file)).shown).equal('b: node ${toString} v {"cwd":"AT"}');
    const { shown, stderr } = await addFile(file, { more: ['--set', 'constructor=c'] });
    expect(shown, stderr).equal('b: node c ${toString} v {"cwd":"AT"}');
  });

  it('may have the program of its kind only', async () => {
    for (const [type, wanted] of [
      ['node', 'b: node AT/e'],
      ['python', 'b: python3 AT/e'],
      ['binary', 'b: AT/e'],
      ['constructor', 'b: AT/e'],
    ] as const) {
      const file = { dxt_version: '0.1', name: 'b', server: { type, entry_point: 'e' } };
      expect((await addFile(file)).shown).equal(`${wanted} {"cwd":"AT"}`);
    }
  });
});

describe('The file of an extension', () => {
  it('of Gemini CLI is taken if it has one server, with its folder', async () => {
    const file = {
      name: 'e',
      version: '1',
      mcpServers: { s: { command: 'node', args: ['${extensionPath}${/}i.js'], cwd: '${extensionPath}' } },
    };
    const { shown } = await addFile(file, { name: 'gemini-extension.json' });
    expect(shown).equal('s: node AT/i.js {"cwd":"AT"}');
    const two = { ...file, mcpServers: { s: { url: 'https://a.test' }, t: { url: 'https://b.test' } } };
    expect((await addFile(two, { name: 'gemini-extension.json' })).stderr).contain(
      'describes 2 servers (s, t); use: pegboard import AT/gemini-extension.json',
    );
  });

  it('of another program says which command runs it', async () => {
    const { stderr } = await addFile({ source: { path: 'server.py' } }, { name: 'fastmcp.json' });
    expect(stderr).contain('pegboard add <name> -- uvx fastmcp run AT/fastmcp.json');
    for (const [file, words] of [
      [{ source: { path: 'server.py' } }, 'uvx fastmcp run AT/any.json'],
      [{ services: {} }, 'docker compose -f AT/any.json run'],
      [{ registry: {} }, 'is a catalogue of Docker'],
      [{ startCommand: {} }, 'is for Smithery'],
    ] as const)
      expect((await addFile(file, { name: 'any.json' })).stderr).contain(words);
    const entry = { command: 'npx', args: ['y'], registry: 'npm', services: {} };
    expect((await addFile(entry, { name: 'any.json' })).shown).contain('npx y');
  });
});
