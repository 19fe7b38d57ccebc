/** The load generator: wrk with a script that posts one call after another, each with its own id. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callTemplate } from './call.ts';
import type { CallKind } from './call.ts';
import { headersFor } from './client.ts';
import type { Client } from './client.ts';
import { launch, LOAD_CORE } from './processes.ts';

const IDS_PER_RUN = 10_000_000;
const FIRST_ID = 1_000_000_000;
let runs = 0;

export interface LoadOptions {
  readonly url: string;
  /** They call in turn. */
  readonly callers: readonly Pick<Client, 'session' | 'token'>[];
  readonly kind: CallKind;
  /** Server whose tool is called; default: up. */
  readonly server?: string;
  readonly connections: number;
  readonly seconds: number;
  /** Path of the script. */
  readonly directory: string;
}
export interface LoadResult {
  readonly calls: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly bytesPerCall: number;
  readonly failures: number;
}

/** @returns how to install a missing wrk or taskset, or undefined */
export function missingTool(): string | undefined {
  if (process.platform !== 'linux')
    return 'the bench reads /proc and pins processes to cores: it runs on Linux only';
  const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;
  if (!has('wrk')) return 'wrk is missing; install it with: apt-get install -y wrk';
  if (!has('taskset')) return 'taskset is missing; install it with: apt-get install -y util-linux';
  return undefined;
}

/** Runs wrk once. @throws Error when it fails */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const script = join(options.directory, 'load.lua');
  writeFileSync(script, luaScript(options));
  const { connections, seconds, url } = options;
  const settings = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script, url];
  const child = launch(['wrk', ...settings], { core: LOAD_CORE });
  const timer = setTimeout(() => child.kill('SIGKILL'), (seconds + 15) * 1_000);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  clearTimeout(timer);
  const [, json] = /^BENCH (.*)$/m.exec(output) ?? [];
  if (json === undefined) throw new Error(`wrk printed no result: ${output.slice(-500)}`);
  return JSON.parse(json) as LoadResult;
}

/** Ids have ten digits, so that every correct answer has the same length. */
function luaScript({ url, callers, kind, server }: LoadOptions): string {
  const { head, tail } = callTemplate(kind, server);
  const { host, pathname } = new URL(url);
  const length = head.length + String(FIRST_ID).length + tail.length;
  const before = callers.map((caller) => {
    const headers = { Host: host, ...headersFor(caller), 'Content-Length': length };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return luaString([`POST ${pathname} HTTP/1.1`, ...lines, '', head].join('\r\n'));
  });
  const firstId = FIRST_ID + (runs++ % 800) * IDS_PER_RUN;
  return `local before = {${before.join(',\n')}}
local after = ${luaString(tail)}
local id = ${firstId}
request = function()
  id = id + 1
  return before[id % #before + 1] .. id .. after
end
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format('BENCH {"calls":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f,"bytesPerCall":%.3f,"failures":%d}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    summary.bytes / math.max(summary.requests, 1), e.connect + e.read + e.write + e.status + e.timeout))
end
`;
}

function luaString(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replace(/\r/g, '\\r').replace(/\n/g, '\\n')}'`;
}
