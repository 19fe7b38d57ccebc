import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { defer } from '../support/cleanup.ts';
import { makeDirectory } from '../support/directory.ts';
import { packedProgram } from '../support/packed.ts';
import { servePegboard } from '../support/serve.ts';

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

/** Runs `script`, in which "$@" is a pegboard command. No compiled code is cached, since that writes files too. */
async function shell(script: string, args: readonly string[]): Promise<Ended> {
  const env = { ...process.env, XDG_CACHE_HOME: '/nowhere' };
  const argv = ['-c', script, 'sh', process.execPath, packedProgram(), ...args];
  const child = spawn('sh', argv, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  defer(() => child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
}

describe('e2e: standard output', () => {
  let list: readonly string[];
  beforeEach(async () => {
    const { url } = await servePegboard(makeDirectory({ 'config.yaml': '{}' }).path);
    const { path } = makeDirectory();
    list = ['list', 'tools', '-o', 'json', '--config-path', path, '--endpoint', `${url}/mcp`];
  });

  it('of a device that is full makes every verb exit 1, and say why', async () => {
    const { path } = makeDirectory({ 'config.yaml': '{}' });
    for (const args of [list, ['check', '--config-path', path], ['completion', 'bash'], ['--help']]) {
      const { code, stderr } = await shell('"$@" > /dev/full', args);
      expect(stderr, args.join(' ')).match(/^pegboard: standard output cannot be written: ENOSPC.*\n$/);
      expect(code).equal(1);
    }
  });

  it('leaves an exit code that says more as it is', async () => {
    const { path } = makeDirectory({ 'config.yaml': 'aggregator: { port: many }\n' });
    const { code, stderr } = await shell('"$@" > /dev/full', ['check', '--config-path', path]);
    expect(stderr).include('ENOSPC');
    expect(code).equal(2);
  });

  it('whose reader has gone is not an error', async () => {
    const script = '{ "$@"; echo "code $?" >&2; } | true';
    expect(await shell(script, list)).deep.equal({ code: 0, stderr: 'code 0\n' });
  });
});
