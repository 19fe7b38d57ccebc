import { expect } from 'chai';
import { makeDirectory } from '../../../support/directory.ts';
import { added } from './added.ts';
import type { Added } from './added.ts';

const NPM = { registryType: 'npm', identifier: 'b' };
const inServer = (variable: object): object => ({
  name: 'io.test/a',
  packages: [{ ...NPM, environmentVariables: [{ name: 'X', ...variable }] }],
});
const inBundle = (env: object): object => ({
  manifest_version: '0.3',
  name: 'b',
  server: { type: 'node', mcp_config: { command: 'node', env } },
  user_config: { a: { default: '${fi' }, b: { default: 'le:/k}' } },
});
const linkOf = (entry: object): string =>
  `cursor://anysphere.cursor-deeplink/mcp/install?name=lnk&config=${Buffer.from(JSON.stringify(entry)).toString('base64')}`;

function addFile(name: string, value: object, more: readonly string[] = []): Promise<Added> {
  return added([makeDirectory({ [name]: JSON.stringify(value) }).at(name), ...more]);
}

describe('What others wrote, said to pegboard add', () => {
  it('has no references to variables, files and secrets of this machine', async () => {
    const remote = { type: 'sse', url: 'https://x.test/{a}{b}', variables: { a: { value: '${fi' } } };
    const parts = { ...remote, variables: { ...remote.variables, b: { value: 'le:/k}' } } };
    for (const file of [
      inServer({ value: '${file:/etc/k}' }),
      inServer({ default: '${env:AWS_SECRET_ACCESS_KEY:-x}' }),
      inServer({ value: 'a {v}', variables: { v: { default: '${caller:X}' } } }),
      {
        name: 'a',
        remotes: [{ type: 'sse', url: 'https://x.test', headers: [{ name: 'X', value: '${secret:a/b}' }] }],
      },
      { name: 'a', remotes: [parts] },
      inBundle({ X: '${env:AWS_SECRET_ACCESS_KEY}' }),
      inBundle({ X: '${user_config.a}${user_config.b}' }),
      { command: 'npx', args: ['y'], env: { X: '${file:/k}' } },
      { command: 'npx', args: ['y', '${file:${/}k}'] },
    ]) {
      const { name, code, stderr } = await addFile('server.json', file);
      expect([name, code], JSON.stringify(file)).deep.equal([undefined, 1]);
      expect(stderr).match(
        /cannot be added: it holds \$\{(?:file|env|caller|secret):.*a reference to Pegboard/,
      );
    }
    expect((await added([linkOf({ command: 'npx', env: { X: '${secret:a/b}' } })])).stderr).contain(
      'it holds ${secret:a/b}',
    );
  });

  it('has no files read', async () => {
    const key = makeDirectory({ k: 'TOKEN=hush\n' }).at('k');
    const nested = { command: { path: 'npx', args: ['y'], envFile: key } };
    for (const entry of [
      { command: 'npx', args: ['y'], env: { X: `{file:${key}}` } },
      { command: 'npx', args: ['y'], env: { X: `\n{file:${key}}` } },
      { url: 'https://a.test', headers: { X: `Bearer {file:${key}}` } },
    ])
      for (const word of [linkOf(entry), JSON.stringify(entry)]) {
        const { name, stderr, secrets } = await added(['lnk', word]);
        expect([name, secrets]).deep.equal([undefined, {}]);
        expect(stderr).contain(`it holds {file:${key}}, and no file is read`).and.not.contain('hush');
      }
    for (const entry of [{ command: 'npx y', envFile: key }, { command: 'npx y', env_file: [key] }, nested]) {
      const { shown, stderr, secrets } = await added(['lnk', JSON.stringify(entry)]);
      expect([shown, secrets]).deep.equal(['lnk: npx y', {}]);
      expect(stderr).contain('is left behind: no file is read while a server is added');
    }
  });

  it('has references in the values that are typed for it', async () => {
    const value = { value: 'Bearer {key}', variables: { key: { isRequired: true } } };
    const server = await addFile('server.json', inServer(value), ['--set', 'key=${file:k}']);
    expect(server.spec).deep.include({ env: { X: 'Bearer ${file:k}' } });
    const bundle = await addFile('manifest.json', inBundle({ X: '${user_config.a}' }), [
      ...['--set', 'a=${env:A}', '--env', 'Y=${env:A:-x}'],
    ]);
    expect(bundle.spec).deep.include({ env: { X: '${env:A}', Y: '${env:A:-x}' } });
    const link = await added([linkOf({ command: 'npx', args: ['y'], env: { X: '1' } }), '-e', 'X=${env:X}']);
    expect(link.spec).deep.include({ env: { X: '${env:X}' } });
  });
});
