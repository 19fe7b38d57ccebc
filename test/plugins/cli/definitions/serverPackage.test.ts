import { expect } from 'chai';
import { makeDirectory } from '../../../support/directory.ts';
import { added } from '../add/added.ts';
import type { Added } from '../add/added.ts';

/** Types `pegboard add` for a file of this content. */
function addFile(value: object, more: readonly string[] = [], name = 'server.json'): Promise<Added> {
  return added([makeDirectory({ [name]: JSON.stringify(value) }).at(name), ...more]);
}

const NPM = { registryType: 'npm', identifier: 'p', version: '1' };
const OCI = { registryType: 'oci', identifier: 'ghcr.io/a/p:1' };
const server = (...packages: readonly object[]) => ({ name: 'io.test/p', packages });

describe('A package of a server.json', () => {
  it('has arguments and variables with their templates filled in', async () => {
    const region = { region: { default: 'us-east-1', isRequired: true } };
    const file = server({
      registryType: 'npm',
      identifier: 'mcp-proxy-x',
      version: '1.1.1',
      packageArguments: [
        { type: 'positional', value: 'https://ecs.{region}.test/mcp', variables: region },
        { type: 'named', name: '--region', value: '{region}', variables: region },
        { type: 'named', name: '--count', default: 3 },
        { type: 'positional', value: '{"keep": "{braces}"}', variables: { braces: { value: 'b' } } },
      ],
      environmentVariables: [
        { name: 'URL', value: 'https://{host}/api', variables: { host: { default: 'h.test' } } },
        { name: 'OPTIONAL_KEY', isSecret: true },
      ],
    });
    const { shown, stderr } = await addFile(file);
    expect(shown).equal(
      'p: npx -y mcp-proxy-x@1.1.1 https://ecs.us-east-1.test/mcp --region us-east-1 --count 3 {"keep": "b"} {"env":{"URL":"https://h.test/api"}}',
    );
    expect(stderr).contain('optional, and not set: --env OPTIONAL_KEY=…');
    const eu = await addFile(file, [
      '--set',
      'region=eu-west-1',
      '--env',
      'OPTIONAL_KEY=hush',
      '--set',
      'host=i',
    ]);
    expect(eu.shown).contain('https://ecs.eu-west-1.test/mcp --region eu-west-1');
    expect(eu.spec?.['env']).deep.equal({
      URL: 'https://i/api',
      OPTIONAL_KEY: '${file:secrets/p.OPTIONAL_KEY}',
    });
  });

  it('takes values for arguments, several for one that may be repeated', async () => {
    const file = server({
      ...NPM,
      packageArguments: [
        { type: 'positional', valueHint: 'folder', isRepeated: true, isRequired: true },
        { type: 'named', name: '--mode', choices: ['a', 'b'] },
        { type: 'named', name: '--verbose' },
      ],
    });
    const set = ['--set', 'folder=/x', '--set', 'folder=/y'];
    expect((await addFile(file, [...set, '--set', 'mode=b', '--set', 'verbose=true'])).shown).equal(
      'p: npx -y p@1 /x /y --mode b --verbose',
    );
    expect((await addFile(file, set)).shown).equal('p: npx -y p@1 /x /y');
    expect((await addFile(file, [...set, '--set', 'mode=c'])).stderr).contain('mode is one of a, b');
  });

  it('names all values that are missing, with their flags', async () => {
    const { stderr, name } = await addFile(
      server({
        ...OCI,
        runtimeArguments: [
          {
            type: 'named',
            name: '-v',
            value: '{folder}:/d',
            isRequired: true,
            variables: { folder: { isRequired: true, description: 'the folder' } },
          },
        ],
        packageArguments: [
          { type: 'named', name: '--kind', isRequired: true, choices: ['x', 'y'], valueHint: 'kind' },
        ],
        environmentVariables: [{ name: 'KEY', isRequired: true, placeholder: 'abc' }],
      }),
    );
    expect(name).equal(undefined);
    expect(stderr)
      .contain('--set folder=…  the folder')
      .and.contain('--set kind=…  one of x, y')
      .and.contain('--env KEY=…  such as abc');
  });

  it('keeps variables of a container out of its command', async () => {
    const file = server({
      ...OCI,
      runtimeArguments: [
        { type: 'positional', value: 'run' },
        {
          type: 'named',
          name: '-e',
          value: 'TOKEN={token}',
          isRequired: true,
          variables: { token: { isRequired: true, isSecret: true } },
        },
        { type: 'named', name: '-p', value: '127.0.0.1:1:1' },
      ],
    });
    const wanted =
      'p: docker run -i --rm -e TOKEN -p 127.0.0.1:1:1 ghcr.io/a/p:1 {"env":{"TOKEN":"${file:secrets/p.TOKEN}"}}';
    for (const typed of [
      ['--set', 'token=hush'],
      ['--env', 'TOKEN=hush'],
    ]) {
      const { shown, secrets, stderr } = await addFile(file, typed);
      expect(shown, stderr).equal(wanted);
      expect(secrets).deep.equal({ 'p.TOKEN': 'hush' });
    }
  });

  it('is the one that is asked for, or the first that can be run here', async () => {
    const bin = makeDirectory({ npx: '' }).path;
    const text = JSON.stringify({
      ...server(OCI, NPM, { registryType: 'pypi', identifier: 'q', runtimeHint: 'pipx' }),
      remotes: [
        { type: 'streamable-http', url: 'https://a.test/mcp' },
        { type: 'sse', url: 'https://a.test/sse' },
      ],
    });
    const path = makeDirectory({ 'server.json': text }).at('server.json');
    for (const [more, wanted] of [
      [[], 'p: npx -y p@1'],
      [['--package', 'docker'], 'p: docker run -i --rm ghcr.io/a/p:1'],
      [['--package', 'pypi'], 'p: pipx run q'],
      [['--transport', 'http'], 'p: streamable-http https://a.test/mcp'],
      [['--transport', 'sse'], 'p: sse https://a.test/sse'],
      [['--transport', 'stdio'], 'p: npx -y p@1'],
    ] as const)
      expect((await added([path, ...more], { PATH: bin })).shown, more.join(' ')).equal(wanted);
    const { stderr } = await added([path, '--package', 'oci'], { PATH: bin });
    expect(stderr).contain('docker is not installed here');
    expect((await added([path, '--package', 'nuget'])).stderr).contain('only oci, npm, pypi');
  });

  it('is read in the words of older schemas, and in answers of the registry', async () => {
    const old = {
      name: 'io.test/p',
      packages: [
        {
          registry_name: 'npm',
          name: 'p',
          version: '1',
          package_arguments: [
            { type: 'positional', value: '{my_dir}', variables: { my_dir: { is_required: true } } },
          ],
          environment_variables: [
            { name: 'A', default: 'b' },
            { name: 'K', is_secret: true },
          ],
        },
      ],
    };
    for (const file of [old, { server: old, _meta: {} }, { servers: [{ server: old }], metadata: {} }])
      expect((await addFile(file, ['--set', 'my_dir=/x'])).shown).equal('p: npx -y p@1 /x {"env":{"A":"b"}}');
    const remote = { name: 'io.test/p', remotes: [{ transport_type: 'sse', url: 'https://a.test/sse' }] };
    expect((await addFile(remote)).shown).equal('p: sse https://a.test/sse');
  });

  it('that cannot be run says what to do instead', async () => {
    for (const [file, words] of [
      [
        server({ ...NPM, transport: { type: 'streamable-http', url: 'http://localhost:3000/mcp' } }),
        'start it, and use: pegboard add <name> http://localhost:3000/mcp',
      ],
      [
        server({ registryType: 'mcpb', identifier: 'https://a.test/p.mcpb' }),
        'download and unzip https://a.test/p.mcpb, and use: pegboard add <its folder>/manifest.json',
      ],
      [server({ registryType: 'cargo', identifier: 'p' }), 'only cargo'],
      [server({ registryType: 'constructor', identifier: 'p' }), 'only constructor'],
    ] as const)
      expect((await addFile(file)).stderr).contain(words);
  });

  it('is beaten by a remote whose variables are filled in, if there is no package', async () => {
    const file = {
      name: 'io.test/p',
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://{tenant}.a.test/{zone}/mcp',
          variables: { tenant: { isRequired: true, description: 'whose' }, zone: { default: 'eu' } },
          headers: [
            {
              name: 'Authorization',
              value: 'Bearer {key}',
              isRequired: true,
              variables: { key: { isRequired: true, isSecret: true } },
            },
          ],
        },
      ],
    };
    const { shown } = await addFile(file, ['--set', 'tenant=t', '--set', 'key=hush']);
    expect(shown).equal(
      'p: streamable-http https://t.a.test/eu/mcp {"headers":{"Authorization":"${file:secrets/p.Authorization}"}}',
    );
    expect((await addFile(file)).stderr)
      .contain('--set tenant=…  whose')
      .and.contain('--set key=…');
  });
});
