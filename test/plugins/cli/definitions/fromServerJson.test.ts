import { expect } from 'chai';
import { fromServerJson } from '../../../../plugins/cli/definitions/fromServerJson.ts';

const NOTHING = { env: {}, headers: {} };
const read = (server: object, given = NOTHING) =>
  fromServerJson(JSON.stringify(server), 'server.json', given);
const withPackage = (one: object) => read({ name: 'io.test/a', packages: [one] }).spec['command'];

describe('A server.json of the MCP registry', () => {
  it('is run by npx, uvx or docker', () => {
    expect(
      withPackage({
        registryType: 'npm',
        identifier: '@a/b',
        version: '1.2.3',
        transport: { type: 'stdio' },
      }),
    ).deep.equal(['npx', '-y', '@a/b@1.2.3']);
    expect(withPackage({ registryType: 'pypi', identifier: 'b', version: '1.2.3' })).deep.equal([
      'uvx',
      'b==1.2.3',
    ]);
    for (const [identifier, version, image] of [
      ['ghcr.io/a/b', '1', 'ghcr.io/a/b:1'],
      ['localhost:5000/b', '1', 'localhost:5000/b:1'],
      ['ghcr.io/a/b:2', undefined, 'ghcr.io/a/b:2'],
      ['ghcr.io/a/b:2', '2', 'ghcr.io/a/b:2'],
    ] as const)
      expect(withPackage({ registryType: 'oci', identifier, version })).deep.equal([
        ...['docker', 'run', '-i', '--rm'],
        image,
      ]);
  });

  it('has a short name, a description, arguments and environment', () => {
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
    expect(read({ server }, { ...NOTHING, env: { KEY: '${env:KEY}' } })).deep.equal({
      name: 'weather',
      notes: ['optional, and not set: --env REST=…, --set extra=…'],
      spec: {
        description: 'Weather',
        type: 'stdio',
        command: [
          ...['docker', 'run', '-i', '--rm', '-e', 'KEY', '-e', 'UNIT', '--network', 'host', 'b'],
          ...['serve', '--level', 'info', '--verbose'],
        ],
        env: { KEY: '${env:KEY}', UNIT: 'C' },
      },
    });
  });

  it('is reached at its first remote if it has no package', () => {
    const remotes = [{ type: 'sse', url: 'https://x.test/sse', headers: [{ name: 'X', value: '1' }] }];
    expect(read({ name: 'a', remotes })).deep.equal({
      name: 'a',
      spec: { type: 'sse', url: 'https://x.test/sse', headers: { X: '1' } },
    });
  });

  it('is refused with what to type if a value is missing, or nothing can be run', () => {
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
      [[], 'must hold a JSON object'],
    ] as const)
      expect(() => read(server)).throw(words);
    expect(() => fromServerJson('{', 'server.json', NOTHING)).throw('server.json is not valid JSON');
  });
});
