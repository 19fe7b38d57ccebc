import { expect } from 'chai';
import { installationOf, runnerOf } from '../../../../plugins/kit/definitions/runnerOf.ts';

describe('kit: the program that installs a server at its first start', () => {
  for (const [line, runner] of [
    ['npx -y foo', 'npx'],
    ['/opt/bin/npx.cmd foo', 'npx'],
    ['dnx foo', 'dnx'],
    ['uv --directory /x run server.py', 'uv run'],
    ['uv --directory=/x run server.py', 'uv run'],
    ['uv --quiet tool run foo', 'uv tool'],
    ['uv tool --offline run foo', 'uv tool'],
    ['uv run --directory /x server.py', 'uv run'],
    ['docker --context c run -i foo', 'docker run'],
    ['docker container run foo', 'docker container run'],
    ['docker compose -f x.yaml run foo', 'docker compose run'],
    ['podman run foo', 'podman run'],
    ['npm --yes exec foo', 'npm exec'],
    ['npm --prefix /x exec foo', 'npm exec'],
    ['pnpm --silent dlx foo', 'pnpm dlx'],
    ['pnpm -C /x dlx foo', 'pnpm dlx'],
    ['yarn dlx foo', 'yarn dlx'],
    ['pipx run foo', 'pipx run'],
    ['deno run -A npm:foo', 'deno run'],
    ['/usr/bin/env npx foo', 'npx'],
    ['env -S A=b npx foo', 'npx'],
    ['cmd.exe /d /c npx foo', 'npx'],
    ['docker container exec foo run', undefined],
    ['docker exec -i foo npx', undefined],
    ['docker compose exec foo run', undefined],
    ['uv tool list run', undefined],
    ['uv pip run', undefined],
    ['deno run server.ts', undefined],
    ['npm run start', undefined],
    ['node npx', undefined],
    ['env', undefined],
    ['', undefined],
  ] as const) {
    it(`is ${runner ?? 'none'} in: ${line}`, () => {
      expect(runnerOf(line.split(' '))).to.equal(runner);
    });
  }

  for (const [words, runner] of [
    [['cmd', '/c', 'npx -y foo'], 'npx'],
    [['sh', '-c', 'npx -y foo'], 'npx'],
    [['/bin/bash', '-lc', 'exec "npx" foo'], 'npx'],
    [['sh', '-c', 'A=b uv --directory "/x" run foo'], 'uv run'],
    [['sh', '-c', 'npx foo && node bar'], undefined],
    [['sh', '-c', 'node `npx`'], undefined],
    [['sh', 'npx'], undefined],
    [['sh', '-c'], undefined],
  ] as const) {
    it(`is ${runner ?? 'none'} behind a shell: ${words.join(' ')}`, () => {
      expect(runnerOf(words)).to.equal(runner);
    });
  }
});

describe('kit: what a runner installs', () => {
  const of = (line: string): string => installationOf(line.split(' '));

  for (const [one, other] of [
    ['npx -y foo a', 'npx foo b'],
    ['npx -y foo', 'npm --yes exec foo'],
    ['npx -p foo -p bar a', 'npx --package=bar --package foo b'],
    ['uvx --from foo a', 'uvx --from=foo b'],
    ['uv --quiet tool run foo a', 'uv tool run --offline foo'],
    ['pnpm dlx foo', 'pnpm --silent dlx foo a'],
    ['cmd /c npx foo', 'npx foo'],
  ] as const) {
    it(`is the same in: ${one}, ${other}`, () => expect(of(one)).to.equal(of(other)));
  }

  for (const [one, other] of [
    ['npx foo', 'npx bar'],
    ['npx foo@1', 'npx foo@2'],
    ['npx foo', 'uvx foo'],
    ['docker run -e A foo', 'docker run -e A bar'],
    ['uv --directory /x run server.py', 'uv --directory /y run server.py'],
  ] as const) {
    it(`differs in: ${one}, ${other}`, () => expect(of(one)).to.not.equal(of(other)));
  }
});
