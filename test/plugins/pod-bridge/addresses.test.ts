import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { expect } from 'chai';
import { defer } from '../../support/cleanup.ts';
import { makeDirectory } from '../../support/directory.ts';
import { programAt } from '../../support/programs.ts';
import { until } from '../../support/until.ts';

/** A program of the kernel's filter for which there are no sockets of IPv6: one 8-byte instruction each.
 *  The layout is that of struct sock_filter. */
function withoutIpv6(): Buffer {
  const [LOAD, IF_EQUAL, RETURN] = [0x20, 0x15, 0x06];
  const socketCall = process.arch === 'arm64' ? 198 : 41;
  const [AF_INET6, EAFNOSUPPORT] = [10, 97];
  const program: readonly (readonly [code: number, yes: number, no: number, k: number])[] = [
    [LOAD, 0, 0, 0],
    [IF_EQUAL, 0, 3, socketCall],
    [LOAD, 0, 0, 16],
    [IF_EQUAL, 0, 1, AF_INET6],
    [RETURN, 0, 0, 0x50000 | EAFNOSUPPORT],
    [RETURN, 0, 0, 0x7fff0000],
  ];
  return Buffer.concat(
    program.map(([code, yes, no, k]) => {
      const one = Buffer.alloc(8);
      one.writeUInt16LE(code, 0);
      one.writeUInt8(yes, 2);
      one.writeUInt8(no, 3);
      one.writeUInt32LE(k, 4);
      return one;
    }),
  );
}

describe('pegboard stdio, where pods have IPv4, IPv6 or both', () => {
  /** @returns ports of the bridge and of its health, and what it has said */
  const start = async (
    listen: string,
    within: readonly string[] = [],
    filter?: Buffer,
  ): Promise<{ readonly health: string; readonly said: string }> => {
    const file = makeDirectory({ key: 'ab'.repeat(32) }).at('key');
    const words = ['stdio', '--listen', listen, '--health', listen, '--key-file', file, '--', 'true'];
    const all = [...within, process.execPath, ...programAt('kernel/program/pegboard.ts'), ...words];
    const [program = '', ...rest] = all;
    const child = spawn(program, rest, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
    const gone = once(child, 'exit');
    defer(async () => {
      child.kill('SIGKILL');
      await gone;
    });
    const pipe = child.stdio[3] as Writable;
    pipe.on('error', () => undefined);
    pipe.end(filter ?? '', () => pipe.destroy());
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until(() => said.includes('\n'), { what: 'its first words' });
    return { health: /:(\d+)\n/.exec(said)?.[1] ?? '', said };
  };
  const answers = async (host: string, port: string): Promise<number | string> =>
    fetch(`http://${host}:${port}/health`).then(
      ({ status }) => status,
      () => 'nothing',
    );

  it('listens for both at [::], and says so', async () => {
    const { health, said } = await start('[::]:0');
    expect(said).match(/listening on \[::\]:\d+, \[::\]:\d+/);
    expect(await answers('127.0.0.1', health)).equal(200);
    expect(await answers('[::1]', health)).equal(200);
  });

  it('listens at the one address that it is told, and no other', async () => {
    const { health } = await start('[::1]:0');
    expect([await answers('[::1]', health), await answers('127.0.0.1', health)]).deep.equal([200, 'nothing']);
  });

  it('listens at 0.0.0.0 instead of [::] where the kernel has no IPv6', async function () {
    if (spawnSync('bwrap', ['--version']).error !== undefined) this.skip();
    const { health, said } = await start(
      '[::]:0',
      ['bwrap', '--die-with-parent', '--unshare-pid', '--dev-bind', '/', '/', '--seccomp', '3'],
      withoutIpv6(),
    );
    expect(said).match(/listening on 0\.0\.0\.0:\d+, 0\.0\.0\.0:\d+/);
    expect([await answers('127.0.0.1', health), await answers('[::1]', health)]).deep.equal([200, 'nothing']);
  });
});
