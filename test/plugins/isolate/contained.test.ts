import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/contracts/json.ts';
import { askCore, callCore } from '../../support/coreTools.ts';
import { makeDirectory } from '../../support/directory.ts';
import { bootGateway } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { ROOT } from '../../support/sources.ts';
import { until } from '../../support/until.ts';
import { withVariables } from '../../support/withVariables.ts';

const SHELL = join(ROOT, 'test/plugins/isolate/fixtures/shell.mjs');
const IMAGE = `ghcr.io/acme/files@sha256:${'a'.repeat(64)}`;

/** Takes the place of docker: records what it was called with, and runs the server of the tests in place of an image. */
const RECORDER = `#!/bin/sh
printf '%s\\n' "$@" "env:$(env | grep -c '^TOKEN=own$')" "home:$HOME" --- >> "\${0%/*}/calls"
[ "$1" = rm ] || exec '${process.execPath}' '${SHELL}'
`;

describe('isolate: container, with a program in the place of docker', () => {
  const start = async (more: JsonObject, engine?: string): Promise<Gateway> => {
    const directory = makeDirectory();
    const spec = { type: 'stdio', autoStart: true, isolate: 'container', image: IMAGE, ...more };
    directory.write(
      'config.yaml',
      'aggregator: { port: 0 }\nplugins: { upstream: { config: { stdinGraceMs: 50 } } }\n',
    );
    directory.write('mcpservers/s.yaml', JSON.stringify(spec));
    mkdirSync(directory.at('state'), { mode: 0o700 });
    if (engine !== undefined) withVariables({ PATH: engine });
    const builtIns = ['upstream', 'store-file', 'core-mcpservers', 'core-services', 'isolate'];
    return bootGateway({ directory, builtIns });
  };
  const settled = async (gateway: Gateway): Promise<JsonObject> => {
    let status: JsonObject = {};
    await until(async () => {
      status = await askCore(gateway, 'core_service_status', { name: 's' });
      return ['running', 'failed'].includes(String(status['state']));
    });
    return status;
  };

  it('gives the engine the image, the grants and the names of variables, and removes the container after a stop', async () => {
    const engine = makeDirectory();
    engine.write('docker', RECORDER);
    chmodSync(engine.at('docker'), 0o755);
    const files = makeDirectory({ 'a,b': '' });
    const grants = {
      files: [{ path: files.path, mode: 'rw' }, { path: files.at('a,b') }],
      memoryMb: 300,
      cpus: 0.5,
      processes: 40,
    };
    const path = `${engine.path}${delimiter}${process.env['PATH'] ?? ''}`;
    const gateway = await start(
      {
        args: ['--root', '/x'],
        command: ['serve'],
        env: {
          TOKEN: 'own',
          GLIBC_TUNABLES: 'x',
          GODEBUG: 'x',
          GCONV_PATH: '/x',
          // A name with * is all that begin so, of which podman has more than the definition.
          'H*': 'x',
          STORAGE_OPTS: 'overlay.mount_program=/x',
          'BASH_FUNC_exec%%': '() { x; }',
          REGISTRY_AUTH_FILE: '/x',
          SSH_AUTH_SOCK: '/x',
          DBUS_SESSION_BUS_ADDRESS: 'x',
        },
        grants,
      },
      path,
    );
    const { metadata, state } = await settled(gateway);
    expect(state).to.equal('running');
    expect((metadata as JsonObject)['confinement']).to.match(
      /^container; network none; files .*\(rw\), .*\(ro\); image ghcr\.io\/acme\/files@sha256:a{64}; limits memory 300 MB, processors 0\.5, processes 40, open files 4096 each, tmp 256 MB$/,
    );
    const calls = (): string[][] =>
      readFileSync(engine.at('calls'), 'utf8')
        .split('---\n')
        .map((call) => call.split('\n').slice(0, -1));
    const [run = []] = calls();
    const name = run[run.indexOf('--name') + 1] ?? '';
    expect(name).to.match(/^pegboard-s-[0-9a-f]{12}$/);
    const user = process.getuid?.() === 0 ? [] : ['--user', `${process.getuid?.()}:${process.getgid?.()}`];
    expect(
      run.filter((word) => !['TERM', 'LANG', 'TZ'].includes(word) && !/proxy$/i.test(word)).join(' '),
    ).to.match(
      new RegExp(
        [
          `^run --rm -i --init --name ${name} --label pegboard.server=s --network none --read-only`,
          '--cap-drop ALL --security-opt no-new-privileges --tmpfs /tmp:rw,exec,size=256m --env HOME=/tmp',
          [
            ...user,
            '--pids-limit 40 --ulimit nofile=4096:4096 --memory 300m --memory-swap 300m --cpus 0.5',
          ].join(' '),
          `--mount type=bind,source=${files.path},target=${files.path}`,
          `--mount type=bind,"source=${files.at('a,b')}","target=${files.at('a,b')}",readonly .*--env TOKEN`,
          `${IMAGE} serve --root /x env:1 home:${process.env['HOME'] ?? ''}$`,
        ].join(' '),
      ),
    );
    expect(run.join(' ')).to.not.match(
      /GLIBC_TUNABLES|GODEBUG|GCONV_PATH|\*|STORAGE|BASH_FUNC|REGISTRY|SSH|DBUS/,
    );
    expect(run.join(' ')).to.not.contain('own').and.not.contain('PATH');
    await callCore(gateway, 'core_service_stop', { name: 's', confirm: true });
    await until(() => calls().some((call) => call.slice(0, 3).join(' ') === `rm --force ${name}`));
  });

  it('gives a definition that asks for more than the operator allows, or for no limit, what that allows', async () => {
    const engine = makeDirectory();
    engine.write('docker', RECORDER);
    chmodSync(engine.at('docker'), 0o755);
    const path = `${engine.path}${delimiter}${process.env['PATH'] ?? ''}`;
    const gateway = await start({ grants: { memoryMb: 0, processes: 0, openFiles: 100_000 } }, path);
    const { metadata } = await settled(gateway);
    expect((metadata as JsonObject)['confinement']).to.include(
      'limits memory 2048 MB, processes 256, open files 4096 each',
    );
    expect(readFileSync(engine.at('calls'), 'utf8').replaceAll('\n', ' ')).to.include(
      '--pids-limit 256 --ulimit nofile=4096:4096 --memory 2048m --memory-swap 2048m',
    );
  });

  it('refuses an image without a digest, an engine that is not there and the socket of one', async () => {
    const faults = async (more: JsonObject): Promise<string> => {
      const gateway = await start(more);
      return JSON.stringify(gateway.log.records);
    };
    expect(await faults({ image: 'ghcr.io/acme/files:1.2' })).to.contain('image must end with its digest');
    expect(await faults({ image: undefined, command: ['x'] })).to.contain('image is required');
    const socket = await start({ grants: { files: [{ path: '/run' }] } }, undefined);
    expect((await settled(socket))['error']).to.match(/socket of a container engine|docker or podman/);
    const empty = await start({}, makeDirectory().path);
    expect((await settled(empty))['error']).to.contain('install docker or podman, or set isolate: sandbox');
  });
});
