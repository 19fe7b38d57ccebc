import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { selfSigned } from './certificate.ts';
import { defer } from './cleanup.ts';
import { makeDirectory } from './directory.ts';
import { answers } from './redis.ts';
import { ROOT } from './sources.ts';
import { until } from './until.ts';

interface FrontProxy {
  readonly program: string;
  /** Its package of Debian. */
  readonly from: string;
  /** Below examples/proxies. */
  readonly file: string;
  readonly args: (file: string, folder: string) => readonly string[];
}
const SILENT = 'daemon off; error_log stderr warn;';
/** The proxies of examples/proxies that Debian has. */
export const FRONT_PROXIES: readonly FrontProxy[] = [
  {
    program: 'nginx',
    from: 'nginx-light',
    file: 'nginx.conf',
    args: (file, folder) => ['-c', file, '-g', `${SILENT} pid ${folder}/nginx.pid;`],
  },
  { program: 'haproxy', from: 'haproxy', file: 'haproxy.cfg', args: (file) => ['-f', file] },
  {
    program: 'caddy',
    from: 'caddy',
    file: 'Caddyfile',
    args: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
  },
  {
    program: 'apache2',
    from: 'apache2',
    file: 'apache.conf',
    args: (file) => ['-f', file, '-D', 'FOREGROUND'],
  },
];

/** Skips the test aloud where the program is missing. */
export function needFrontProxy(test: Mocha.Context, { program, from }: FrontProxy): void {
  const paths = `${process.env['PATH'] ?? ''}:/usr/sbin`;
  if (spawnSync('which', [program], { env: { PATH: paths } }).status === 0) return;
  console.log(`SKIPPED: no ${program} here; install it with: apt-get install ${from}`);
  test.skip();
}

/** The proxy with its file as it is shipped, but for ports and places, until the test ends.
 *  @param gateways ports in place of 8091 and 8092 @param edit further changes, such as of its limits */
export async function startFrontProxy(
  { program, file, args }: FrontProxy,
  port: number,
  gateways: readonly number[],
  edit: (text: string) => string,
): Promise<void> {
  const { key, certificate } = selfSigned();
  const folder = makeDirectory();
  copyFileSync(certificate, folder.at('cert.pem'));
  copyFileSync(key, folder.at('cert.pem.key'));
  const text = readFileSync(join(ROOT, 'examples/proxies', file), 'utf8')
    .replaceAll('8443', String(port))
    .replaceAll('8091', String(gateways[0]))
    .replaceAll('8092', String(gateways[1]))
    .replaceAll('/etc/pegboard', folder.path)
    .replace(/\/(run|var\/log\/apache2)\/pegboard/g, folder.at('apache'));
  folder.write(file, edit(text));
  const env = {
    ...process.env,
    PATH: `${process.env['PATH'] ?? ''}:/usr/sbin`,
    HOME: folder.path,
    XDG_DATA_HOME: folder.path,
    XDG_CONFIG_HOME: folder.path,
  };
  const child = spawn(program, args(folder.at(file), folder.path), {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output = (output + chunk).slice(-4_000)));
  const ended = once(child, 'close');
  defer(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error(`${program} has ended: ${output}`);
      return answers(port);
    },
    { what: program, withinMs: 10_000 },
  );
}
