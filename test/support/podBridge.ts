import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { defer } from './cleanup.ts';
import { makeDirectory } from './directory.ts';
import { makeObjectOf } from './kube/simulatedPods.ts';
import type { SimulatedPod } from './kube/simulatedPods.ts';
import { programAt } from './programs.ts';
import { until } from './until.ts';

export interface PodBridge {
  readonly process: ChildProcessByStdio<null, null, Readable>;
  /** What it has written to its standard error, which is the log of its pod. */
  readonly log: () => string;
}

/** What a kubelet would do for the one server of that API: its bridge as a process of this machine, and its pod as an object. */
export async function startPodBridge(
  pod: SimulatedPod,
  command: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<PodBridge> {
  const file = makeDirectory({ key: await pod.key() }).at('key');
  const place = ['--listen', `[::]:${pod.port}`, '--key-file', file];
  const words = [...programAt('kernel/program/pegboard.ts'), 'stdio', ...place, '--', ...command];
  const bridge = spawn(process.execPath, words, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = once(bridge, 'exit');
  defer(async () => {
    bridge.kill('SIGKILL');
    await gone;
  });
  let said = '';
  bridge.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await until(() => said.includes('listening on'), { what: 'the bridge' });
  await makeObjectOf(pod);
  return { process: bridge, log: () => said };
}
