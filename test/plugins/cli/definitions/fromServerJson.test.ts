import { expect } from 'chai';
import { makeDirectory } from '../../../support/directory.ts';
import { added } from '../add/added.ts';
import type { Added } from '../add/added.ts';

function read(server: unknown, more: readonly string[] = []): Promise<Added> {
  const text = typeof server === 'string' ? server : JSON.stringify(server);
  return added([makeDirectory({ 'server.json': text }).at('server.json'), ...more]);
}
const withPackage = async (one: object): Promise<unknown> =>
  (await read({ name: 'io.test/a', packages: [one] })).spec?.['command'];

describe('A server.json of the MCP registry', () => {
  it('is run by npx, uvx or docker', async () => {
    expect(
      await withPackage({
        registryType: 'npm',
        identifier: '@a/b',
        version: '1.2.3',
        transport: { type: 'stdio' },
      }),
    ).deep.equal(['npx', '-y', '@a/b@1.2.3']);
    expect(await withPackage({ registryType: 'pypi', identifier: 'b', version: '1.2.3' })).deep.equal([
      'uvx',
      'b==1.2.3',
    ]);
    for (const [identifier, version, image] of [
      ['ghcr.io/a/b', '1', 'ghcr.io/a/b:1'],
      ['localhost:5000/b', '1', 'localhost:5000/b:1'],
      ['ghcr.io/a/b:2', undefined, 'ghcr.io/a/b:2'],
      ['ghcr.io/a/b:2', '2', 'ghcr.io/a/b:2'],
    ] as const)
      expect(await withPackage({ registryType: 'oci', identifier, version })).deep.equal([
        ...['docker', 'run', '-i', '--rm'],
        image,
      ]);
  });

  it('refuses a value that nothing takes, with the name that is near', async () => {
    const packageArguments = [
      { type: 'named', name: '--region', default: 'eu' },
      { type: 'positional', valueHint: 'folder', value: '{root}', variables: { root: { default: '/' } } },
    ];
    const server = {
      name: 'io.test/a',
      packages: [{ registryType: 'npm', identifier: 'b', packageArguments }],
    };
    const set = async (text: string): Promise<string> => {
      const { spec, stderr } = await read(server, ['--set', text]);
      return spec === undefined ? stderr : String(spec['command']);
    };
    expect(await set('region=us')).equal('npx,-y,b,--region,us,/');
    expect(await set('root=/x')).equal('npx,-y,b,--region,eu,/x');
    expect(await set('regoin=us')).contain('takes no value regoin (--set regoin=…); did you mean region?');
    expect(await set('zzz=us')).contain('it takes --region, folder, region, root');
    expect(await set('__proto__=us')).contain('takes no value __proto__');
  });

  it('has a short name, a description, arguments and environment', async () => {
    const server = {
      name: 'io.github.acme/weather',
      description: 'Weather',
      packages: [
        { registryType: 'mcpb', identifier: 'https://x.test/b.mcpb' },
        { registryType: 'npm', identifier: 'b', transport: { type: 'streamable-http' } },
        {
          registryType: 'oci',
          identifier: 'b',
          runtimeArguments: [{ type: 'named', name: '--network', value: 'host' }],
          packageArguments: [
            { type: 'positional', value: 'serve' },
            { type: 'named', name: '--level', default: 'info' },
            { type: 'named', name: '--verbose', isRequired: true },
            { type: 'positional', valueHint: 'extra' },
          ],
          environmentVariables: [
            { name: 'KEY', isRequired: true, isSecret: true },
            { name: 'UNIT', default: 'C' },
            { name: 'REST' },
          ],
        },
      ],
    };
    const { name, spec, stderr } = await read({ server }, ['--env', 'KEY=${env:KEY}']);
    expect(name).equal('weather');
    expect(spec).deep.equal({
      description: 'Weather',
      type: 'stdio',
      command: [
        ...['docker', 'run', '-i', '--rm', '-e', 'KEY', '-e', 'UNIT', '--network', 'host', 'b'],
        ...['serve', '--level', 'info', '--verbose'],
      ],
      env: { KEY: '${env:KEY}', UNIT: 'C' },
      autoStart: true,
    });
    expect(stderr).contain('optional, and not set: --env REST=…, --set extra=…\n');
  });

  it('is reached at its first remote if it has no package', async () => {
    const remotes = [{ type: 'sse', url: 'https://x.test/sse', headers: [{ name: 'X', value: '1' }] }];
    const { name, spec } = await read({ name: 'a', remotes });
    expect(name).equal('a');
    expect(spec).deep.equal({
      type: 'sse',
      url: 'https://x.test/sse',
      headers: { X: '1' },
      autoStart: true,
    });
  });

  it('is refused with flags that mean nothing to what is chosen', async () => {
    const packages = [{ registryType: 'npm', identifier: 'b' }];
    const remotes = [{ type: 'sse', url: 'https://x.test/sse' }];
    for (const [server, more, words] of [
      [{ name: 'a', packages }, ['--header', 'X=1'], '--header and --transport are for a URL'],
      [{ name: 'a', packages }, ['--package', 'npm', '-t', 'sse'], '--header and --transport are for a URL'],
      [{ name: 'a', remotes }, ['--env', 'X=1'], '--env is for a command'],
    ] as const)
      expect((await read(server, more)).stderr).contain(words);
  });

  it('is refused with what to type if a value is missing, or nothing can be run', async () => {
    const key = { name: 'KEY', isRequired: true, description: 'the key', value: 'Bearer {token}' };
    const npm = { registryType: 'npm', identifier: 'b' };
    for (const [server, words] of [
      [{ name: 'a', packages: [{ ...npm, environmentVariables: [key] }] }, '--env KEY=…  the key'],
      [{ name: 'a', remotes: [{ type: 'sse', url: 'https://x', headers: [key] }] }, '--header KEY=…'],
      [{ name: 'a', remotes: [{ type: 'sse', url: 'https://{tenant}.x' }] }, 'needs a value for tenant'],
      [
        {
          name: 'a',
          packages: [
            { ...npm, packageArguments: [{ type: 'positional', valueHint: 'path', isRequired: true }] },
          ],
        },
        'pegboard add <name> -- npx -y b <value>',
      ],
      [{ name: 'a', packages: [{ registryType: 'mcpb' }] }, 'only mcpb'],
      [{ packages: [] }, 'has no "name"'],
      [[], 'must hold an object'],
      ['{', 'server.json is not valid JSON'],
    ] as const) {
      const { name, stderr } = await read(server);
      expect(name).equal(undefined);
      expect(stderr).contain(words);
    }
  });
});
