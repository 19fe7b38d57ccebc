import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { makeDirectory } from '../../../support/directory.ts';
import { EVERYTHING, freePort } from '../../../support/everything.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import { added } from '../add/added.ts';

describe('Secrets that are typed for pegboard add', () => {
  it('are in files that their user alone can read', async () => {
    const { shown, secrets } = await added([
      ...['x', '-e', 'API_KEY=hush one', '-e', 'PLAIN=b', '--'],
      ...['npx', 'y', '--token', 'hush two', '--header', 'X-Api-Key: hush3'],
    ]);
    expect(shown).equal(
      'x: npx y --token ${file:secrets/x.token} --header X-Api-Key: ${file:secrets/x.X-Api-Key} {"env":{"API_KEY":"${file:secrets/x.API_KEY}","PLAIN":"b"}}',
    );
    expect(secrets).deep.equal({ 'x.API_KEY': 'hush one', 'x.token': 'hush two', 'x.X-Api-Key': 'hush3' });
  });

  it('are those that a description declares, whatever their names and forms', async () => {
    const input = { isRequired: true, isSecret: true };
    const server = {
      name: 'io.test/p',
      packages: [
        {
          registryType: 'npm',
          identifier: 'p',
          environmentVariables: [
            { name: 'CODE', ...input },
            { name: 'AT', value: 'to-{place}-now', variables: { place: input } },
            { name: 'REF', ...input },
            { name: 'OPEN', value: 'x1' },
          ],
          packageArguments: [{ type: 'positional', valueHint: 'pin', ...input }],
        },
      ],
    };
    const typed = [
      '--env',
      'CODE=1',
      '--env',
      'REF=${env:REF}',
      '--set',
      'place=hush-place',
      '--set',
      'pin=hush',
    ];
    const file = await added([
      makeDirectory({ 'server.json': JSON.stringify(server) }).at('server.json'),
      ...typed,
    ]);
    expect(file.shown, file.stderr).equal(
      'p: npx -y p ${file:secrets/p.argument} {"env":{"CODE":"${file:secrets/p.CODE}","REF":"${env:REF}","AT":"${file:secrets/p.AT}","OPEN":"x1"}}',
    );
    expect(file.secrets).deep.equal({ 'p.CODE': '1', 'p.AT': 'to-hush-place-now', 'p.argument': 'hush' });
    expect(file.stderr).not.contain('hush');
    const bundle = {
      manifest_version: '0.3',
      name: 'b',
      server: {
        mcp_config: { command: 'node', args: ['--as=${user_config.who}'], env: { X: '${user_config.y}' } },
      },
      user_config: { who: { sensitive: true }, y: { sensitive: true, default: 'hush-9' } },
    };
    const manifest = makeDirectory({ 'manifest.json': JSON.stringify(bundle) }).at('manifest.json');
    const { spec, secrets } = await added([manifest, '--set', 'who=hush-me']);
    expect(spec).deep.include({
      command: ['node', '${file:secrets/b.argument}'],
      env: { X: '${file:secrets/b.X}' },
    });
    expect(secrets).deep.equal({ 'b.X': 'hush-9', 'b.argument': '--as=hush-me' });
  });

  it('use a file again that holds them, and no file that holds another', async () => {
    const directory = makeDirectory({
      'config.yaml': `aggregator: { port: ${await freePort()} }\n`,
      'secrets/x.TOKEN': 'other\n',
      'secrets/y.TOKEN': 'hush\n',
    });
    for (const name of ['x', 'y'])
      await typeVerb([
        'add',
        name,
        '--config-path',
        directory.path,
        '--unpinned',
        '-e',
        'TOKEN=hush',
        '--',
        'npx',
        'z',
      ]);
    const envOf = (name: string): unknown =>
      (parse(readFileSync(directory.at(`mcpservers/${name}.yaml`), 'utf8')) as { spec: { env: object } }).spec
        .env;
    expect(envOf('x')).deep.equal({ TOKEN: '${file:secrets/x.TOKEN-2}' });
    expect(envOf('y')).deep.equal({ TOKEN: '${file:secrets/y.TOKEN}' });
    expect(readFileSync(directory.at('secrets/x.TOKEN'), 'utf8')).equal('other\n');
    expect(statSync(directory.at('secrets/x.TOKEN-2')).mode & 0o777).equal(0o600);
  });

  it('are awaited in a file where a placeholder is typed, and the server is not started', async () => {
    for (const [word, text] of [
      ['YOUR_API_KEY', '${file:secrets/x.API_KEY}'],
      ['<token>', '${file:secrets/x.API_KEY}'],
      ['your-api-key-here', '${file:secrets/x.API_KEY}'],
      ['sk-xxxxxxxx', '${file:secrets/x.API_KEY}'],
      ['Bearer YOUR_KEY', 'Bearer ${file:secrets/x.API_KEY}'],
    ] as const) {
      const { code, spec, secrets, stderr } = await added(['x', '-e', `API_KEY=${word}`, 'npx', 'y']);
      expect([code, secrets], word).deep.equal([1, {}]);
      expect(spec).deep.include({ env: { API_KEY: text }, autoStart: true, suspended: true });
      expect(stderr)
        .contain('write its secret into DIR/secrets/x.API_KEY')
        .and.contain('then: pegboard start x');
    }
    const json = '{"command":"npx","args":["y","--token","${input:tok}"]}';
    expect((await added(['x', json])).shown).equal(
      'x: npx y --token ${file:secrets/x.token} {"suspended":true}',
    );
  });

  it('leave other placeholders in the definition, named with what to type', async () => {
    const { code, shown, stderr } = await added([
      ...['x', '-e', 'PROFILE=your-profile', '--', 'npx', 'y', '/path/to/dir', '<REGION>'],
    ]);
    expect(code).equal(1);
    expect(shown).equal('x: npx y /path/to/dir <REGION> {"env":{"PROFILE":"your-profile"},"suspended":true}');
    expect(stderr).contain('replace /path/to/dir, <REGION>, your-profile: edit DIR/mcpservers/x.yaml');
  });

  it('reach a server of the running gateway of the directory through their files', async () => {
    const port = await freePort();
    const directory = makeDirectory({ 'config.yaml': `aggregator: { port: ${port} }\n` });
    await serveHere(directory, port);
    const at = ['--config-path', directory.path];
    const typed = await typeVerb(['add', 'demo', ...at, '-e', 'API_KEY=hush-9', '--', 'node', EVERYTHING]);
    expect(typed.code, typed.stderr).equal(0);
    expect(typed.stdout).contain('x_demo_echo');
    const file = readFileSync(directory.at('mcpservers/demo.yaml'), 'utf8');
    expect(file).contain('API_KEY: ${file:secrets/demo.API_KEY}').and.not.contain('hush-9');
    const env = await typeVerb(['call', 'x_demo_get-env', ...at]);
    expect(env.stdout).contain('hush-9');
  });

  it('start the server with pegboard start, once they are written', async () => {
    const port = await freePort();
    const directory = makeDirectory({ 'config.yaml': `aggregator: { port: ${port} }\n` });
    await serveHere(directory, port);
    const at = ['--config-path', directory.path];
    const line = ['add', 'demo', ...at, '-e', 'API_KEY=YOUR_KEY', '--', 'node', EVERYTHING];
    const typed = await typeVerb(line);
    expect(typed.code, typed.stderr).equal(1);
    expect(typed.stderr).contain('pegboard start demo');
    mkdirSync(directory.at('secrets'));
    writeFileSync(directory.at('secrets/demo.API_KEY'), 'hush-9\n');
    const start = await typeVerb(['start', 'demo', ...at]);
    expect(start.code, start.stderr).equal(0);
    expect((await typeVerb(['list', 'tools', ...at])).stdout).contain('x_demo_echo');
  });

  it('are refused as placeholders where another gateway is named', async () => {
    const directory = makeDirectory();
    const { code, stderr } = await typeVerb([
      ...['add', 'x', '--config-path', directory.path, '--endpoint', 'http://localhost:9/mcp'],
      ...['--unpinned', '-e', 'API_KEY=YOUR_KEY', '--', 'npx', 'y'],
    ]);
    expect(code).equal(1);
    expect(stderr).contain('a secret is still a placeholder').and.contain('pegboard add x -- npx y');
  });
});
