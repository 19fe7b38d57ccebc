import { expect } from 'chai';
import { unpinnedWords } from '../../../../plugins/kit/packages/unpinnedWords.ts';
import { packageIn } from '../../../../plugins/kit/packages/packageIn.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;
const SOURCE = { registry: 'npm', name: 'notes', version: '1.2.3', integrity: 'sha512-' } as const;

describe('kit: the package that a command runs', () => {
  const shell = (line: string): readonly string[] => ['sh', '-c', line];
  const words = (line: string): readonly string[] => line.split(' ');

  for (const [command, name, version] of [
    [words('npx -y notes'), 'notes', undefined],
    [words('npx -y notes@latest'), 'notes', 'latest'],
    [words('npx -y notes@^1'), 'notes', '^1'],
    [['npx', 'notes@>=1 <2'], 'notes', '>=1 <2'],
    [words('npx notes@1'), 'notes', '1'],
    [words('npx notes@1.2.x'), 'notes', '1.2.x'],
    [words('npx a@npm:notes@latest'), 'a', 'npm:notes@latest'],
    [words('npx -p notes -c serve'), 'notes', undefined],
    [words('npx -p a@1.0.0 -p notes serve'), 'notes', undefined],
    [words('npm exec notes'), 'notes', undefined],
    [words('npm exec --yes -- @acme/notes@next'), '@acme/notes', 'next'],
    [words('npm --silent x --package=notes serve'), 'notes', undefined],
    [words('pnpm dlx notes'), 'notes', undefined],
    [words('pnpm --silent dlx notes@2'), 'notes', '2'],
    [words('pnpx notes'), 'notes', undefined],
    [words('yarn dlx -q notes'), 'notes', undefined],
    [words('bunx notes'), 'notes', undefined],
    [words('bunx --bun notes@latest'), 'notes', 'latest'],
    [words('bun x notes'), 'notes', undefined],
    [words('deno run -A npm:@acme/notes'), '@acme/notes', undefined],
    [words('deno run --allow-net npm:notes@^1/serve'), 'notes', '^1'],
    [words('deno run -A jsr:@acme/notes'), 'jsr:@acme/notes', undefined],
    [words('uvx notes>=1'), 'notes', '>=1'],
    [words('uvx --from notes[all]~=1.0 serve'), 'notes', '~=1.0'],
    [['uvx', 'notes == 1.*'], 'notes', '1.*'],
    [words('uvx notes==1.0,<2'), 'notes', '1.0,<2'],
    [words('uv --quiet tool run notes'), 'notes', undefined],
    [words('uv tool --offline run notes@latest'), 'notes', 'latest'],
    [words('pipx run notes'), 'notes', undefined],
    [words('docker run acme/notes'), 'acme/notes', undefined],
    [words('docker container run -i acme/notes:1.2'), 'acme/notes', '1.2'],
    [words('podman run -i localhost:5000/notes:1'), 'localhost:5000/notes', '1'],
    [words('/usr/bin/env A=b npx notes'), 'notes', undefined],
    [words('cmd /c npx -y notes'), 'notes', undefined],
    [['cmd', '/c', 'npx -y notes'], 'notes', undefined],
    [words('/usr/bin/env -u HOME -C /x npx notes'), 'notes', undefined],
    [['env', '-S', 'A=b npx -y notes'], 'notes', undefined],
    [words('nice npx notes'), 'notes', undefined],
    [words('nice -n 5 ionice -c2 npx notes@1'), 'notes', '1'],
    [words('sudo -u other -E A=b npx notes'), 'notes', undefined],
    [['sudo', 'sh', '-c', 'npx -y notes'], 'notes', undefined],
    [words('timeout -k 5 10m uvx notes'), 'notes', undefined],
    [words('xvfb-run -a -s -screen npx notes@latest'), 'notes', 'latest'],
    [words('nohup setsid stdbuf -oL npx notes'), 'notes', undefined],
    [words('op run --env-file .env -- npx notes'), 'notes', undefined],
    [words('dotenv -e .env -- npx notes'), 'notes', undefined],
    [words('dotenv npx notes'), 'notes', undefined],
    [words('dotenv -f .env run npx notes'), 'notes', undefined],
    [words('doppler run -- docker run acme/notes:1'), 'acme/notes', '1'],
    [words('aws-vault exec me -- uvx notes'), 'notes', undefined],
    [words('cross-env A=b npx notes'), 'notes', undefined],
    [words('uv run --with notes serve'), 'notes', undefined],
    [words('uv run -w notes serve'), 'notes', undefined],
    [words('uv run --python 3.12 --isolated --with notes serve'), 'notes', undefined],
    [words('uv run --extra dev --no-extra x --with-editable . --with notes -m serve'), 'notes', undefined],
    [words('uv --directory /x run -q --with=notes server.py'), 'notes', undefined],
    [words('npm exec notes@1.0.0 --package other'), 'other', undefined],
    [words('npm exec notes --port 1 -p 2'), 'notes', undefined],
    [words('npm --package=notes exec serve'), 'notes', undefined],
    [words('pnpm --package=notes dlx serve'), 'notes', undefined],
    [words('pnpm -C /x dlx notes'), 'notes', undefined],
    [words('pnpm dlx --package notes serve'), 'notes', undefined],
    [words('yarn dlx -p notes serve'), 'notes', undefined],
    [words('bunx --package notes serve'), 'notes', undefined],
    [words('uvx --python 3.12 notes'), 'notes', undefined],
    [words('uv --cache-dir /x tool run notes'), 'notes', undefined],
    [words('pipx run --spec notes serve'), 'notes', undefined],
    [words('deno npm:notes'), 'notes', undefined],
    [words('deno run --config deno.json -A npm:notes'), 'notes', undefined],
    [words('docker run --name x --sig-proxy acme/notes -e Z'), 'acme/notes', undefined],
    [words('docker --context x run -it --pull always acme/notes node@1'), 'acme/notes', undefined],
    [words('podman run --replace --name x acme/notes:1'), 'acme/notes', '1'],
    [words('dnx Acme.Notes --prerelease'), 'Acme.Notes', undefined],
    [words('uv --quiet run --with=a==1.0,notes[all]>=2,<3 -- serve'), 'notes', '>=2,<3'],
    [words('dnx Acme.Notes --yes'), 'Acme.Notes', undefined],
    [words('dnx --source https://example.com Acme.Notes@1.* --yes'), 'Acme.Notes', '1.*'],
    [words('dotnet tool exec Acme.Notes'), 'Acme.Notes', undefined],
    [words('dotnet dnx Acme.Notes -- --version 1.0.0'), 'Acme.Notes', undefined],
    [shell('npx -y notes'), 'notes', undefined],
    [shell('exec npx -y "notes"'), 'notes', undefined],
    [shell('cd /x && A=b npx -y notes@latest | tee log'), 'notes', 'latest'],
    [shell('npx a@1.0.0; uvx notes'), 'notes', undefined],
    [shell('cd /x; nice npx notes'), 'notes', undefined],
    [shell('echo $(npx notes)'), 'notes', undefined],
    [shell('npx notes@$VERSION'), 'notes', '$VERSION'],
  ] as const) {
    it(`has no exact version in: ${command.join(' ')}`, () => {
      expect(packageIn(command)).include({ name, version, isExact: false });
    });
  }

  for (const command of [
    words('npx -y notes@1.2.3'),
    words('npx -y notes@v1.2.3'),
    words('npx a@npm:notes@1.2.3'),
    words('npx -p a@1.0.0 -p notes@1.2.3 serve'),
    words('npm exec -- notes@1.2.3-beta.1'),
    words('pnpm dlx notes@1.2.3'),
    words('bunx notes@1.2.3'),
    words('deno run -A npm:notes@1.2.3/serve'),
    words('uvx notes==1.2'),
    words('uv tool run notes@1.2'),
    words('pipx run notes==1.2.post1'),
    words(`docker run acme/notes:1@${DIGEST}`),
    words('env npx notes@1.2.3'),
    words('nice npx notes@1.2.3'),
    words('op run -- npx notes@1.2.3'),
    words('uv run --with notes==1.2 serve'),
    words('uv run --with notes==1.2 server.py --with other'),
    words('npx notes@1.2.3 -p other'),
    words('npm exec --package=notes@1.2.3 -- serve --package other'),
    words('npm exec notes@1.2.3 -- --package other'),
    words('pnpm dlx notes@1.2.3 --package other'),
    words('pnpm --package=notes@1.2.3 dlx serve'),
    words('yarn dlx notes@1.2.3 -p other'),
    words('bunx notes@1.2.3 --package other'),
    words('uvx notes==1.2 --from other'),
    words('uv tool run notes==1.2 --from other'),
    words('pipx run notes==1.2 --spec other'),
    words('deno run -A npm:notes@1.2.3 npm:other'),
    words(`docker run acme/notes@${DIGEST} other/image`),
    words('dnx Acme.Notes@1.2.3 -- --version 2'),
    words('dnx Acme.Notes@1.2.3 --yes'),
    words('dnx Acme.Notes --version 1.2.3 --yes'),
    shell('cd /x && npx notes@1.2.3'),
  ]) {
    it(`has one in: ${command.join(' ')}`, () => expect(packageIn(command)).include({ isExact: true }));
  }

  for (const command of [
    words('npm run serve'),
    words('npm exec -c serve'),
    words('pnpm serve'),
    words('yarn serve'),
    words('bun server.ts'),
    words('deno run -A server.ts npm:notes'),
    words('npx -y ./server'),
    words('npx -y github:acme/notes'),
    words('npx https://example.com/notes.tgz'),
    words('uvx --from git+https://example.com/notes notes'),
    ['uvx', '--from', 'notes @ https://example.com/notes.whl', 'notes'],
    words('uv run server.py'),
    words('docker compose run notes'),
    words('docker exec notes npx'),
    words('node npx notes'),
    words('op run npx notes'),
    words('nice node server.js'),
    words('timeout 5'),
    words('uv run server.py -- --with notes'),
    words('uv run server.py --with x'),
    words('uv run python server.py --with x'),
    words('uv run -m server --with x'),
    words('uv run --script server.py --with x'),
    words('uv run --python 3.12 server.py --with x'),
    words('uv run --env-file=.env --no-project server.py --with x'),
    words('uv --directory /x run -q -- server.py --with x'),
    words('pnpm run serve --package x'),
    words('deno run -A server npm:notes'),
    words('deno run -A https://example.com/server npm:notes'),
    words('deno task serve npm:notes'),
    words('docker exec -i notes acme/notes'),
    words('dotnet run exec notes'),
    words('dotnet server.dll'),
    ['sudo'],
    ['nice', '-n'],
    shell('node server.js'),
    shell(''),
    ['sh', '-c'],
    ['env'],
    [],
  ]) {
    it(`is not one of a registry in: ${command.join(' ')}`, () =>
      expect(packageIn(command)).equal(undefined));
  }

  it('is pinned within what runs it', () => {
    for (const [line, pinned, ofFile] of [
      ['npm exec -y -- notes --all', 'npm exec -y -- notes@1.2.3 --all', 'npm exec -y -- file:/a.tgz --all'],
      ['cmd /d /c npx -y notes', 'cmd /d /c npx -y notes@1.2.3', 'cmd /d /c npx -y file:/a.tgz'],
      ['env A=b npx notes', 'env A=b npx notes@1.2.3', 'env A=b npx file:/a.tgz'],
      ['nice -n 5 npx notes', 'nice -n 5 npx notes@1.2.3', 'nice -n 5 npx file:/a.tgz'],
      ['op run -- npx notes', 'op run -- npx notes@1.2.3', 'op run -- npx file:/a.tgz'],
    ] as const) {
      const found = packageIn(words(line));
      expect(found?.obstacle).equal(undefined);
      expect(found?.pinned(SOURCE).join(' ')).equal(pinned);
      expect(found?.ofFile('/a.tgz').join(' ')).equal(ofFile);
    }
  });

  it('has an obstacle where what runs could not be the archive that was checked', () => {
    for (const line of [
      ...[
        'pnpm dlx notes',
        'sudo npx notes',
        'doas -u other npx notes',
        'uv run --with notes serve',
        'dnx Acme.Notes',
        'pnpx notes',
        'yarn dlx notes',
        'bunx notes',
        'bun x notes',
        'deno run npm:notes',
      ],
      ...[
        'deno run jsr:@acme/notes',
        'npx a@npm:notes',
        'npx -p a -p b serve',
        'npm --registry x exec notes',
        'npx --regist=http://x notes@1.0.0',
        'npx --user=x notes@1.0.0',
        'pipx run --spe=x notes==1.0.0',
        'env npm_config_registry=http://x npx notes@1.0.0',
        'env UV_WITH=x uvx notes@1.0.0',
      ],
    ])
      expect(packageIn(words(line))?.obstacle, line).a('string');
    expect(packageIn(shell('npx notes'))?.obstacle).contain('a shell runs it');
  });

  it('names what is installed besides it without an exact version', () => {
    for (const line of ['uvx --with x notes@1.0.0', 'uv tool run -q --with=y==1,x notes==1.0.0'])
      expect(packageIn(words(line))?.besides, line).equal('x');
    for (const line of ['uvx --with x==1 notes@1.0.0', 'uvx notes@1.0.0 --with x'])
      expect(packageIn(words(line))?.besides, line).equal(undefined);
    expect(unpinnedWords(words('uvx --with x notes@1.0.0'), 'n')).contain(
      'is run with x, which has no exact',
    );
  });
});
