/** The figures besides the call rates: start-up, memory, and a swap of plugins. */
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { join } from 'node:path';
import { measureAdminPages } from './adminPages.ts';
import { waitUntilCallable } from './call.ts';
import { createClient, initialize } from './client.ts';
import { measureBearer } from './bearer.ts';
import { measureCallers } from './callers.ts';
import { median } from './median.ts';
import { measureGrowth } from './growth.ts';
import type { LoadResult } from './load.ts';
import { measureMetrics } from './metricsCost.ts';
import { cleanEnv, launch, rssBytes, stopChild, urlOf } from './processes.ts';
import { writeShared } from './sharedStore.ts';
import { measureSignIns } from './signIns.ts';
import { measureSwapMs } from './swap.ts';
import { measureTaps } from './taps.ts';
import { pegboardCommand, startUpstream, writeServer } from './targets.ts';
import type { HttpUpstream } from './targets.ts';

export const FIGURE_NAMES = [
  'ready',
  'sessions',
  'sharedSessions',
  'signIns',
  'sharedSignIns',
  'bearer',
  'metrics',
  'adminPages',
  'callers',
  'refused',
  'swap',
  'taps',
] as const;
export type FigureName = (typeof FIGURE_NAMES)[number];

/** One line of the report. */
export interface Figure {
  readonly name: FigureName;
  readonly text: string;
  readonly value: number;
  readonly unit: string;
  /** Upper bound of the value; undefined without a goal. */
  readonly below: number | undefined;
}
export interface FigureOptions {
  readonly directory: string;
  readonly starts: number;
}

const IDLE_MS = 1_000;
const REQUESTS = 10_000;
const PEOPLE = 10_000;
const CALLERS = 1_000;
const SERVERS_EACH = 5;

export async function measureFigure(name: FigureName, options: FigureOptions): Promise<readonly Figure[]> {
  if (name === 'ready') return measureReady(options);
  if (name === 'swap') {
    const value = await measureSwapMs();
    return [{ name, text: 'swap of 12 plugins', value, unit: 'ms', below: 50 }];
  }
  if (name === 'taps') {
    const cases = await measureTaps();
    return cases.map(([taps, value]) => ({
      name,
      text: `call in the kernel with ${taps}`,
      value,
      unit: 'ns',
      below: undefined,
    }));
  }
  if (name === 'signIns' || name === 'sharedSignIns') return measurePeople(name, options);
  if (name === 'callers') return measureOwnConnections(options);
  if (name === 'metrics') {
    const { withMetrics, without } = await measureMetrics();
    const figure = (what: string, value: number): Figure => ({
      name,
      text: `CPU of a call through call_tool, ${what}`,
      value,
      unit: 'µs',
      below: undefined,
    });
    return [
      figure('without metrics', without),
      figure('with metrics for Prometheus', withMetrics),
      figure('difference', withMetrics - without),
    ];
  }
  if (name === 'adminPages')
    return (await measureAdminPages()).map(({ page, medianMs, belowMs }) => ({
      name,
      text: `first byte of ${page}`,
      value: medianMs,
      unit: 'ms',
      below: belowMs,
    }));
  if (name === 'bearer') {
    const { withSignIn, without } = await measureBearer();
    const text = 'CPU of a request in the gate';
    const figure = (what: string, value: number, below?: number): Figure => ({
      name,
      text: `${text}, ${what}`,
      value,
      unit: 'µs',
      below,
    });
    return [
      figure('without sign-in', without),
      figure('with a warm access token', withSignIn),
      figure('difference', withSignIn - without),
    ];
  }
  const isShared = name === 'sharedSessions';
  const growth = await withUpstream(async (upstream) => {
    const directory = temporary(options);
    if (isShared) await writeShared(directory);
    const sort = name === 'refused' ? name : 'sessions';
    return measureGrowth(sort, { requests: REQUESTS, upstream, directory });
  });
  const text =
    name === 'refused'
      ? `${REQUESTS} refused requests (404)`
      : `${REQUESTS} initialize without DELETE${isShared ? ', over Redis' : ''}`;
  const [rssGoal, heapGoal] = name === 'refused' ? [undefined, 1] : [10, 10];

  return [
    { name, text: `${text}: heap`, value: growth.heapBytes / 1e6, unit: 'MB', below: heapGoal },
    {
      name,
      text: `${text}: heap each`,
      value: growth.heapBytes / REQUESTS,
      unit: 'B',
      below: isShared ? 1_024 : undefined,
    },
    { name, text: `${text}: RSS`, value: growth.rssBytes / 1e6, unit: 'MB', below: rssGoal },
  ];
}

async function measurePeople(
  name: 'signIns' | 'sharedSignIns',
  options: FigureOptions,
): Promise<readonly Figure[]> {
  const isShared = name === 'sharedSignIns';
  const growth = await withUpstream((upstream) =>
    measureSignIns(PEOPLE, isShared, { upstream, directory: temporary(options) }),
  );
  const text = `${PEOPLE} people signed in${isShared ? ', over Redis' : ''}`;
  const figure = (what: string, value: number, unit: string): Figure => ({
    name,
    text: `${text}: ${what}`,
    value,
    unit,
    below: undefined,
  });
  return [
    figure('heap', growth.heapBytes / 1e6, 'MB'),
    figure('heap each', growth.heapBytes / PEOPLE, 'B'),
    figure('RSS', growth.rssBytes / 1e6, 'MB'),
    figure(isShared ? 'memory of Redis' : 'file of the vault', growth.vaultBytes / 1e6, 'MB'),
    figure(isShared ? 'memory of Redis each' : 'file of the vault each', growth.vaultBytes / PEOPLE, 'B'),
  ];
}

/** Callers who have signed in at five servers. */
async function measureOwnConnections(options: FigureOptions): Promise<readonly Figure[]> {
  const result = await withUpstream((upstream) =>
    measureCallers(CALLERS, { upstream, directory: temporary(options) }),
  );
  const { heapBytes, rssBytes, sockets, connectedMs, firstMs, shared, own } = result;
  const connections = CALLERS * SERVERS_EACH;
  const sorted = [...firstMs].sort((a, b) => a - b);
  const text = `${CALLERS} callers × ${SERVERS_EACH} servers`;
  const figure = (what: string, value: number, unit: string): Figure => ({
    name: 'callers',
    text: `${text}: ${what}`,
    value,
    unit,
    below: undefined,
  });
  const rate = ({ calls, seconds }: LoadResult): number => calls / seconds;
  return [
    figure('heap of each caller and server', heapBytes / connections, 'B'),
    figure('RSS of each caller and server', rssBytes / connections, 'B'),
    figure('sockets of the gateway', sockets, ''),
    figure('all are connected', connectedMs, 'ms'),
    figure('first call of a caller, p50', median(firstMs), 'ms'),
    figure('first call of a caller, p99', sorted[Math.floor(sorted.length * 0.99)] ?? NaN, 'ms'),
    figure('calls of a shared server', rate(shared), 'calls/s'),
    figure('calls of a shared server, p50', shared.p50Ms, 'ms'),
    figure('calls of a shared server, p99', shared.p99Ms, 'ms'),
    figure('calls with a credential', rate(own), 'calls/s'),
    figure('calls with a credential, p50', own.p50Ms, 'ms'),
    figure('calls with a credential, p99', own.p99Ms, 'ms'),
    figure('failed calls', shared.failures + own.failures, ''),
  ];
}

/** Three servers: one answers, one accepts connections and stays silent, one is a process that never writes. */
async function measureReady(options: FigureOptions): Promise<readonly Figure[]> {
  const sockets = new Set<Socket>();
  const hole = createServer((socket) => sockets.add(socket.on('error', () => socket.destroy())));
  await new Promise<void>((resolve) => hole.listen(0, '127.0.0.1', resolve));
  const line: number[] = [];
  const answer: number[] = [];
  const rss: number[] = [];
  try {
    await withUpstream(async (upstream) => {
      for (let start = 0; start < options.starts; start += 1) {
        const directory = temporary(options);
        writeSilentServers(directory, hole);
        const one = await startOnce(directory, upstream);
        line.push(one.lineMs);
        answer.push(one.answerMs);
        rss.push(one.idleRssMb);
      }
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    hole.close();
  }
  const name = 'ready';
  return [
    { name, text: 'ready line, two servers still starting', value: median(line), unit: 'ms', below: 400 },
    { name, text: 'first initialize answered', value: median(answer), unit: 'ms', below: 400 },
    { name, text: 'RSS idle', value: median(rss), unit: 'MB', below: 85 },
  ];
}

function writeSilentServers(directory: string, hole: Server): void {
  const { port } = hole.address() as AddressInfo;
  writeServer(directory, 'hole', ['type: streamable-http', `url: http://127.0.0.1:${port}/mcp`]);
  const mute = [process.execPath, '-e', 'process.stdin.resume().on("end", () => process.exit(0))'];
  writeServer(directory, 'mute', ['type: stdio', `command: ${JSON.stringify(mute)}`, 'autoStart: true']);
}

async function startOnce(directory: string, upstream: HttpUpstream) {
  const begin = performance.now();
  const child = launch(pegboardCommand(directory, upstream), { env: cleanEnv() });
  try {
    const client = createClient(await urlOf(child, 'pegboard'));
    const lineMs = performance.now() - begin;
    try {
      await initialize(client);
      const answerMs = performance.now() - begin;
      await waitUntilCallable(client, 'echo');
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
      return { lineMs, answerMs, idleRssMb: rssBytes(child.pid ?? 0) / 1e6 };
    } finally {
      client.close();
    }
  } finally {
    await stopChild(child);
  }
}

async function withUpstream<T>(use: (upstream: HttpUpstream) => Promise<T>): Promise<T> {
  const upstream = await startUpstream('http');
  try {
    return await use(upstream);
  } finally {
    await upstream.stop();
  }
}

function temporary({ directory }: FigureOptions): string {
  return mkdtempSync(join(directory, 'figure-'));
}
