import { expect } from 'chai';
import { parse } from 'yaml';
import { makeClientHome } from '../../clientHome.ts';
import type { ClientHome } from '../../clientHome.ts';

function definition(home: ClientHome, name: string): Record<string, unknown> {
  return parse(home.read(`.config/pegboard/mcpservers/${name}.yaml`)) as Record<string, unknown>;
}
const json = (value: unknown): string => JSON.stringify(value);

describe('a variable that a client fills in', () => {
  it('becomes a reference with its default, or is filled in if it names a folder', async () => {
    const home = makeClientHome({
      'repo/.mcp.json': json({
        mcpServers: {
          regions: {
            command: 'a',
            args: ['--at', '${REGION:-eu}'],
            env: { A: '${env:MODE:-}', B: '${env.X}' },
          },
          folders: { command: 'b', env: { ROOT: '${workspaceFolder}/data', H: '${userHome}${/}x' } },
          plugin: { command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/s.js'] },
          secret: { command: 'c', env: { K: '${{ secrets.MY_SECRET }}' } },
          own: {
            command: 'mcp-remote',
            args: ['--header', 'Authorization:${AUTH}'],
            env: { AUTH: 'Bearer x' },
          },
          script: { command: 'sh', args: ['-c', 'for f in a; do echo ${f}; done; ${RUN}'] },
        },
      }),
    });
    const { stderr } = await home.run(['import', '--yes', home.at('repo/.mcp.json')], { RUN: 'x' });
    expect(definition(home, 'regions')).deep.include({
      command: ['a', '--at', '${env:REGION:-eu}'],
      env: { A: '${env:MODE:-}', B: '${env:X}' },
    });
    expect(definition(home, 'folders')['env']).deep.equal({
      ROOT: `${home.at('repo')}/data`,
      H: `${home.path}/x`,
    });
    expect(definition(home, 'plugin')['command']).deep.equal(['node', `${home.at('repo')}/s.js`]);
    expect(definition(home, 'secret')['env']).deep.equal({ K: '${env:MY_SECRET}' });
    expect(definition(home, 'own')['command']).deep.equal([
      'mcp-remote',
      '--header',
      'Authorization:${AUTH}',
    ]);
    expect(definition(home, 'script')['command']).deep.equal([
      'sh',
      '-c',
      'for f in a; do echo ${f}; done; ${env:RUN}',
    ]);
    expect(stderr).include('secret: set MY_SECRET where `pegboard serve` runs\n').and.not.include('set AUTH');
    expect((await home.runProgram(['check'])).code).equal(0);
  });

  it('is asked for by VS Code, and set for Pegboard by a name that is its own', async () => {
    const home = makeClientHome({
      '.config/Code/User/mcp.json': json({
        inputs: [
          { id: 'tok', type: 'promptString', password: true },
          { id: 'region', type: 'pickString', options: ['eu', 'us'], default: 'eu' },
          { id: 'evil', type: 'promptString', default: '${file:/etc/hostname}' },
          { id: 'run', type: 'command', command: 'x' },
        ],
        servers: {
          tf: {
            command: 'tf',
            args: ['-e', 'T=${input:tok}', '--region=${input:region}'],
            env: { E: '${input:evil}' },
          },
          far: { type: 'http', url: 'https://h.example.com/${input:tenantId}/mcp' },
          run: { command: 'r', args: ['${input:run}'] },
          here: { command: 'h', args: ['${workspaceFolder}'], env: { A: 'b' } },
          half: { command: 'half', env: { A: '${config:x.y}', B: 'c' } },
        },
      }),
    });
    const { stdout, stderr } = await home.run(['import', '--yes']);
    expect(definition(home, 'tf')).deep.include({
      command: ['tf', '-e', 'T=${env:INPUT_TF_TOK}', '--region=${env:INPUT_TF_REGION:-eu}'],
      env: { E: '${env:INPUT_TF_EVIL}' },
    });
    expect(definition(home, 'far')['url']).equal('https://h.example.com/${env:INPUT_FAR_TENANT_ID}/mcp');
    expect(stderr).include('tf: set INPUT_TF_TOK where `pegboard serve` runs (its client asks for it)\n');
    expect(stdout)
      .include('left out: it holds ${input:run}, which only its client can fill in')
      .and.include('left out: it holds ${workspaceFolder}, which only its client can fill in');
    expect(definition(home, 'half')['env']).deep.equal({ B: 'c' });
    expect(stderr).include(
      'half: env.A is left behind: it holds ${config:x.y}, which only its client can fill in\n',
    );
  });

  it('is read from the files that the user names, into files of secrets', async () => {
    const home = makeClientHome({
      '.config/opencode/opencode.json': json({
        mcp: {
          oc: {
            type: 'local',
            command: ['oc'],
            environment: {
              K: '{file:~/.secrets/k}',
              R: 'x-{file:./k.txt}',
              N: '{file:./none}',
              E: '{env:HOST}',
            },
          },
          far: { type: 'remote', url: 'https://{env:HOST_PART}.example.com/mcp' },
        },
      }),
      '.config/opencode/k.txt': 'plainest\n',
      '.secrets/k': 'other\n',
    });
    const { stdout, stderr } = await home.run(['import', '--yes'], { HOST: 'h', HOST_PART: 'p' });
    expect(definition(home, 'oc')['env']).deep.equal({
      K: '${file:secrets/oc.K}',
      R: '${file:secrets/oc.R}',
      E: '${env:HOST}',
    });
    expect(home.read('.config/pegboard/secrets/oc.R')).equal('x-plainest\n');
    expect(definition(home, 'far')['url']).equal('https://${env:HOST_PART}.example.com/mcp');
    expect(stdout).match(/oc +oc +env\.N +oc\n/);
    expect(stderr).include(
      `oc: ${home.at('.secrets/k')} was read now; what changes there later is not seen\n`,
    );
  });

  it('reads no file outside of the project that names it, and no reference in one', async () => {
    const home = makeClientHome({
      'project/.vscode/mcp.json': json({
        servers: {
          near: { command: 'n', envFile: '${workspaceFolder}/.env' },
          far: { command: 'f', envFile: '~/.secrets', env: { A: 'b' } },
          up: { command: 'u', envFile: '../.secrets' },
        },
      }),
      'project/opencode.json': json({
        mcp: {
          oc: { type: 'local', command: ['oc'], environment: { K: '{file:../.secrets}', L: '{file:./l}' } },
        },
      }),
      'project/.env': 'MODE=fast\nEVIL=${file:/etc/hostname}\nAPI_TOKEN=s3cret-value-1\n',
      'project/l': '${env:HOME}',
      '.secrets': 'KEY=s3cret\n',
    });
    const { stdout } = await home.run(['import', '--yes', '--project', '-o', 'json']);
    expect(definition(home, 'near')['env']).deep.equal({
      MODE: 'fast',
      API_TOKEN: '${file:secrets/near.API_TOKEN}',
    });
    expect(definition(home, 'far')['env']).deep.equal({ A: 'b' });
    for (const name of ['up', 'oc']) expect(definition(home, name)).not.have.property('env');
    const keys = [...stdout.matchAll(/"key": "([^"]+)"/g)].map(([, key]) => key).sort();
    expect(keys).deep.equal(['env.EVIL', 'env.K', 'env.L', 'envFile', 'envFile']);
    expect(home.ownFiles().filter((name) => name.startsWith('secrets/'))).deep.equal([
      'secrets/near.API_TOKEN',
    ]);
  });

  it('reads nothing for a named file outside of its folder, nor into a URL, and is put together of no parts', async () => {
    const home = makeClientHome({
      'repo/.mcp.json': json({
        mcpServers: {
          url: { url: 'https://evil.example.com/{file:./k}' },
          key: { command: 'k', env: { A: '{file:~/.netrc}', B: '{file:./k}' } },
          parts: { url: 'https://evil.example.com/${A_PATH:-$}{${B_PATH:-file:/etc/hostname}}' },
          more: { command: 'm', args: ['${A_PATH:-$}{secret:N/K}'] },
          nested: { command: 'n', args: ['${file:${/}etc/hostname}'] },
        },
      }),
      'repo/k': 'keykeykey\n',
      '.netrc': 'password\n',
    });
    const { stdout } = await home.run(['import', '--yes', home.at('repo/.mcp.json')]);
    expect(definition(home, 'key')['env']).deep.equal({ B: '${file:secrets/key.B}' });
    const written = home.ownFiles().filter((name) => name.startsWith('mcpservers/'));
    const texts = written.map((name) => home.read(`.config/pegboard/${name}`)).join('\n');
    expect(texts + stdout).not.match(/password|keykeykey/);
    expect(texts).not.match(/\$\{(file:\/|secret:)/);
    expect(stdout).match(/url +- +- +left out: its URL holds what a file says/);
  });
});
