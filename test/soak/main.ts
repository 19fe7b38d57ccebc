import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runEnds } from '../support/cleanup.ts';
import type { Directory } from '../support/directory.ts';
import { openFiles, processesBelow, processesNaming, rssMegabytes, zombiesOf } from '../support/proc.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { serverText, soakDirectory } from './soakDirectory.ts';
import { Tally, hasEnded, keepCalling } from './callers.ts';
import { editUnderCalls } from './editor.ts';
import { killAgainAndAgain } from './kills.ts';
import { bombAll } from './bombs.ts';
import { floodAll } from './floods.ts';
import { callLarge } from './large.ts';
import { disturbReplicas } from './replicas.ts';
import { sendUnread } from './unread.ts';

const USAGE = `npm run soak -- [--seconds N] [--clients N] [--kills N] [--large N] [--edits N] [--unread N] [--floods] [--bombs] [--replicas]

  --seconds   duration; default 600. Prints a line every minute, or ten in all
  --clients   number of concurrent callers; default 8
  --kills     instead: N times kill -9 of Pegboard and its children
  --large     instead: N concurrent calls that are answered with 1 MB each
  --edits     instead: N times config.yaml is emptied, cut or removed while a denied tool is called
  --unread    instead: N connections that send 145 calls each and read nothing
  --floods    instead: duration of calls beside a server that floods, for each kind of flood
  --bombs     instead: wait of other clients while a request or a file needs much work
  --replicas  instead: three processes on one Redis are restarted, killed, and their Redis is cut
  --sessions  with --replicas: number of sessions; default 200
  --cuts      with --replicas: number of cuts of 5 s; default 10
`;
const STEADY = ['a', 'b'];
const MORTAL = 'mortal';
const KILL_EVERY_MS = 5_000;
const RELOAD_EVERY_MS = 3_000;
/** Time after which connections of former clients are closed, and memory has settled. */
const SETTLE_MS = 3_000;
const MAX_UNREAD_MB = 400;
const MAX_FLOODED_MS = 10;
const MAX_STALL_MS = 100;

interface Sample {
  readonly minutes: number;
  readonly rss: number;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '600' },
      clients: { type: 'string', default: '8' },
      kills: { type: 'string' },
      large: { type: 'string' },
      edits: { type: 'string' },
      unread: { type: 'string' },
      floods: { type: 'boolean', default: false },
      bombs: { type: 'boolean', default: false },
      replicas: { type: 'boolean', default: false },
      sessions: { type: 'string', default: '200' },
      cuts: { type: 'string', default: '10' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return print(USAGE);
  if (values.kills !== undefined) return kill(Number(values.kills));
  if (values.large !== undefined) return large(Number(values.large));
  if (values.edits !== undefined) return edit(Number(values.edits));
  if (values.unread !== undefined) return unread(Number(values.unread));
  if (values.floods) return floods();
  if (values.bombs) return bombs();
  if (values.replicas) return replicas(Number(values.sessions), Number(values.cuts));
  return soak(Number(values.seconds), Number(values.clients));
}

async function kill(kills: number): Promise<number> {
  const directory = soakDirectory(['a', 'b']);
  const told = (text: string): void => void print(`${text}\n`);
  const killed = await killAgainAndAgain(directory, { kills, childrenPerLife: 3, random: Math.random, told });
  print(
    `killed ${killed.pegboards} Pegboards and ${killed.children} children; ${killed.faults.length} faults\n`,
  );
  for (const fault of killed.faults) print(`  ${fault}\n`);
  return killed.faults.length;
}

/** Half of the answered bytes may be in memory at once: garbage is collected on demand. */
async function large(calls: number): Promise<number> {
  const { whole, seconds, before, peak } = await callLarge(calls);
  const isBounded = peak - before < Math.max(calls / 2, 100);
  print(
    `${whole} of ${calls} answers of 1 MB complete in ${seconds.toFixed(1)} s; RSS ${before} MB before, ${peak} MB maximum` +
      `${isBounded ? '' : ': too much'}\n`,
  );
  return calls - whole + (isBounded ? 0 : 1);
}

async function edit(edits: number): Promise<number> {
  const { refused, runs } = await editUnderCalls(edits);
  print(`${edits} edits: the denied tool was refused ${refused} times and ran ${runs} times\n`);
  return refused === 0 ? 1 : runs;
}

async function unread(sockets: number): Promise<number> {
  const { before, peak, slowest } = await sendUnread(sockets);
  print(
    `${sockets} connections that read nothing: RSS ${before} MB before, ${peak} MB maximum; others waited up to ${slowest} ms\n`,
  );
  return peak < MAX_UNREAD_MB ? 0 : 1;
}

async function floods(): Promise<number> {
  const measured = await floodAll();
  for (const { flood, before, during } of measured)
    print(
      `${flood.padEnd(15)} p50 of a healthy server ${before.toFixed(1)} ms before, ${during.toFixed(1)} ms beside it\n`,
    );
  return measured.filter(({ during }) => during >= MAX_FLOODED_MS).length;
}

async function bombs(): Promise<number> {
  const measured = await bombAll();
  for (const { bomb, stall } of measured) print(`${String(stall).padStart(6)} ms  ${bomb}\n`);
  return measured.filter(({ stall }) => stall >= MAX_STALL_MS).length;
}

async function replicas(sessions: number, cuts: number): Promise<number> {
  const phases = await disturbReplicas({ sessions, cuts });
  const columns = ['seconds', 'calls', 'lost', 'inside', 'refused', 'sessions lost', 'died', 'p99 ms'];
  print(`${''.padEnd(20)}${columns.map((name) => name.padStart(14)).join('')}\n`);
  for (const { name, seconds, calls, lost, inside, refused, sessionsLost, dead, times } of phases) {
    const p99 = [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
    const figures = [seconds, calls, lost, inside, refused, sessionsLost, dead, p99];
    print(`${name.padEnd(20)}${figures.map((one) => String(Math.round(one)).padStart(14)).join('')}\n`);
  }
  print(
    'inside: calls sent to the killed process, whose connection broke; refused: calls with an idempotency key that did not run, because Redis was away\n',
  );
  for (const { name, examples } of phases)
    for (const example of examples.slice(0, 5)) print(`  lost, ${name}: ${example.slice(0, 300)}\n`);
  return phases.reduce((sum, { lost, sessionsLost, dead }) => sum + lost + sessionsLost + dead, 0);
}

async function soak(seconds: number, clients: number): Promise<number> {
  const directory = soakDirectory([...STEADY, MORTAL]);
  directory.write('mortal.js', "await import('./upstreamStdio.js');\n");
  directory.write(`mcpservers/${MORTAL}.yaml`, mortalText(directory));
  const pegboard = await servePegboard(directory.path);
  const tally = new Tally();
  const ending = new AbortController();
  const { signal } = ending;
  await serversAreUp(pegboard);
  const files = openFiles(pegboard.pid);
  const children = processesBelow(pegboard.pid).length;
  const options = { url: pegboard.url, steady: STEADY, mortal: MORTAL, tally, signal };
  const work = [
    ...Array.from({ length: clients }, () => keepCalling(options)),
    again(KILL_EVERY_MS, signal, () => killMortal(directory)),
    again(RELOAD_EVERY_MS, signal, (at) => reload(directory, at)),
  ];
  const samples = await watch(pegboard, { seconds, tally });
  ending.abort();
  await Promise.all(work);
  await closeFetch();
  await pause(SETTLE_MS);
  const leaked = Math.max(openFiles(pegboard.pid) - files, 0);
  const more = Math.max(processesBelow(pegboard.pid).length - children, 0);
  const zombies = zombiesOf(pegboard.pid).length;
  const { code } = await pegboard.stop();
  const orphans = processesNaming(directory.path).length;
  print(
    `${tally.calls} calls in ${tally.sessions} sessions: ${tally.lost} lost, ${tally.died} failed with the death of their server as the reason\n` +
      `leaked handles ${leaked}, surplus processes ${more}, zombies ${zombies}, orphans ${orphans}, exit code ${code ?? 'none'}\n` +
      `RSS slope over the second half: ${slope(samples).toFixed(2)} MB a minute\n`,
  );
  for (const example of tally.examples) print(`  lost: ${example}\n`);
  return tally.lost + more + zombies + orphans + (code ?? 1) + leaked;
}

/** fetch keeps idle connections, which are not leaks. */
async function closeFetch(): Promise<void> {
  const shared = (globalThis as Record<symbol, unknown>)[Symbol.for('undici.globalDispatcher.1')];
  await (shared as { destroy(): Promise<void> } | undefined)?.destroy();
}

function mortalText(directory: Directory): string {
  return serverText(directory).replace('upstreamStdio.js', 'mortal.js');
}

async function serversAreUp({ lines }: Pegboard): Promise<void> {
  while (lines.filter(({ text }) => text === 'server connected').length < STEADY.length + 1) await pause(50);
}

async function again(everyMs: number, signal: AbortSignal, run: (at: number) => void): Promise<void> {
  for (let at = 1; !signal.aborted; at += 1) {
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
    if (!hasEnded(signal)) run(at);
  }
}

function killMortal(directory: Directory): void {
  for (const pid of processesNaming(directory.at('mortal.js'))) process.kill(pid, 'SIGKILL');
}

/** Switches plugins off and on, changes settings and a definition, breaks a file and repairs it. */
function reload(directory: Directory, at: number): void {
  const configs = [
    'plugins: { transport-sse: false }',
    'plugins: { limits: { config: { perSession: { concurrent: 100 } } } }',
    'plugins: { front: { config: { maxDepth: 400 } }, metatools: { config: { resultBudget: 100000 } } }',
    'plugins: { core-events: false, core-services: false }',
    'plugins: [broken',
    '',
  ];
  directory.replace('config.yaml', `${configs[at % configs.length] ?? ''}\n`);
  directory.replace(`mcpservers/${STEADY[1] ?? ''}.yaml`, serverText(directory, at));
}

async function watch(
  { pid }: Pegboard,
  { seconds, tally }: { readonly seconds: number; readonly tally: Tally },
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const stepMs = Math.min(60_000, (seconds * 1_000) / 10);
  const begun = performance.now();
  while (performance.now() - begun < seconds * 1_000) {
    await pause(stepMs);
    const minutes = (performance.now() - begun) / 60_000;
    const rss = rssMegabytes(pid);
    samples.push({ minutes, rss });
    print(
      `${minutes.toFixed(1).padStart(5)} min  ${tally.calls} calls  ${tally.lost} lost  ${tally.died} died  p99 ${tally.p99()} ms  ` +
        `${rss} MB  ${openFiles(pid)} files  ${processesBelow(pid).length} children\n`,
    );
  }
  return samples;
}

/** Slope by least squares in MB a minute, of the second half: caches fill in the first. */
function slope(samples: readonly Sample[]): number {
  const half = samples.slice(Math.floor(samples.length / 2));
  const mean = (of: (one: Sample) => number): number =>
    half.reduce((sum, one) => sum + of(one), 0) / half.length;
  const [x, y] = [mean(({ minutes }) => minutes), mean(({ rss }) => rss)];
  const over = half.reduce((sum, one) => sum + (one.minutes - x) * (one.rss - y), 0);
  const under = half.reduce((sum, one) => sum + (one.minutes - x) ** 2, 0);
  return under === 0 ? 0 : over / under;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

try {
  process.exitCode = (await main()) === 0 ? 0 : 1;
} finally {
  await runEnds();
}
