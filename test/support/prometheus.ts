import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { defer } from './cleanup.ts';
import { makeDirectory } from './directory.ts';
import { freePort } from './everything.ts';
import { until } from './until.ts';

const HAS_PROMETHEUS = spawnSync('prometheus', ['--version']).status === 0;
/** What to type where it is missing. */
const NO_PROMETHEUS = 'SKIPPED: no prometheus here; install it with: apt-get install prometheus';

/** Skips the suite aloud where there is no Prometheus. */
export function needPrometheus(suite: Mocha.Context): void {
  if (HAS_PROMETHEUS) return;
  console.log(NO_PROMETHEUS);
  suite.skip();
}

/** One series of an answer. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}
export interface Alert {
  readonly state: 'pending' | 'firing';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
export interface Prometheus {
  /** @throws Error with its words for a query that it does not understand */
  readonly query: (query: string) => Promise<readonly Series[]>;
  readonly alerts: () => Promise<readonly Alert[]>;
}

/** Debian's Prometheus on a free port, ended after the test. @param files its configuration `prometheus.yml`, and what that names */
export async function startPrometheus(files: Readonly<Record<string, string>>): Promise<Prometheus> {
  const directory = makeDirectory(files);
  const port = await freePort();
  const child = spawn('prometheus', [
    `--config.file=${directory.at('prometheus.yml')}`,
    `--storage.tsdb.path=${directory.at('data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  const ended = once(child, 'exit');
  defer(() => {
    child.kill();
    return ended;
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
  const api = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    const { data, error } = (await answer.json()) as { readonly data: T; readonly error?: string };
    if (error !== undefined) throw new Error(`${path}: ${error}`);
    return data;
  };
  const isReady = (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(log);
    return fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await until(isReady, { what: 'Prometheus', withinMs: 20_000 });
  return {
    query: async (query) =>
      (await api<{ readonly result: readonly Series[] }>(`query?query=${encodeURIComponent(query)}`)).result,
    alerts: async () => (await api<{ readonly alerts: readonly Alert[] }>('alerts')).alerts,
  };
}
