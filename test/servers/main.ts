/** `npm run servers`: real servers of SDKs, through Pegboard and directly. `-- --install` installs those of other languages first. */
import { parseArgs } from 'node:util';
import type { LogLine } from '../support/serve.ts';
import { runEnds } from '../support/cleanup.ts';
import { differences } from './cells.ts';
import type { Cell, Fault } from './cells.ts';
import { CLIENTS } from './clients.ts';
import { FATES, canMeet, meetFate } from './fates.ts';
import { Gateway } from './gateway.ts';
import { folderOf, install, isInstalled } from './installation.ts';
import type { Sdk } from './sdks.ts';
import { SERVERS } from './servers.ts';
import { walk } from './steps.ts';

const USAGE = `npm run servers -- [--install] [--only <words>] [--output text|json]

  --install   installs missing SDKs from their registries, in the user's cache folder; without it they are skipped
  --only      cells whose server and column contain these words, such as "ts1-stdio hang" or "ts2"
  --output    json prints what was seen in each cell
`;
/** More would make the servers of one another slow. */
const AT_ONCE = 4;

/** Time to install all SDKs together; about two minutes are usual, and as long again to compile what Rust's depends on (226 CPU seconds). */
const INSTALL_MS = 600_000;

interface Task extends Cell {
  readonly sdks: readonly Sdk[];
  readonly run: (gateway: Gateway) => Promise<Seen>;
}
interface Seen {
  readonly faults: readonly Fault[];
  /** More that an observer may want to know. */
  readonly log: readonly LogLine[];
  readonly better?: readonly string[];
}

const TASKS: readonly Task[] = SERVERS.flatMap((kind) => [
  ...FATES.filter((fate) => canMeet(kind, fate)).map((fate) => ({
    server: kind.word,
    column: fate,
    sdks: [kind.sdk],
    run: async (gateway: Gateway): Promise<Seen> => {
      const { faults, log } = await meetFate(gateway, kind, fate);
      return {
        faults: Object.entries(faults).map(([what, saw]) => ({ what, saw, alsoDirectly: false })),
        log,
      };
    },
  })),
  ...CLIENTS.map((client) => ({
    server: kind.word,
    column: client.word,
    sdks: [kind.sdk, client.sdk],
    run: async (gateway: Gateway): Promise<Seen> => {
      const { through, directly, log } = await walk(gateway, kind, client);
      const faults = Object.entries(through).map(([what, saw]) => ({
        what,
        saw,
        alsoDirectly: what in directly,
      }));
      return { faults, log, better: Object.keys(directly).filter((step) => !(step in through)) };
    },
  })),
]);

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      install: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      output: { type: 'string', default: 'text' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return print(USAGE);
  const chosen = TASKS.filter(({ server, column }) => `${server} ${column}`.includes(values.only));
  if (chosen.length === 0) return print(`no cell matches ${values.only}\n`, 2);
  const missing = new Set(chosen.flatMap(({ sdks }) => sdks).filter((sdk) => !isInstalled(sdk)));
  if (values.install) await installAll(missing);
  const tasks = chosen.filter(({ sdks }) => !sdks.some((sdk) => missing.has(sdk)));
  const { wrong, better, seen } = await judge(tasks);
  if (values.output === 'json') print(`${JSON.stringify(seen, undefined, 2)}\n`);
  for (const fault of wrong) print(`FAULT ${fault}\n`);
  if (missing.size > 0)
    print(
      `SKIPPED, not installed: ${[...missing].map(titleOf).join(', ')}; install them with: npm run servers -- --install\n`,
    );
  print(`${better} steps right through Pegboard alone\n`);
  const skipped = chosen.length - tasks.length;
  const failed = new Set(wrong.map((fault) => fault.split(' ', 2).join(' '))).size;
  print(`${tasks.length - failed} passed, ${failed} failed, ${skipped} skipped\n`);
  return failed > 0 || tasks.length === 0 || (values.install && skipped > 0) ? 1 : 0;
}

/** Takes out of `missing` what is there then. */
async function installAll(missing: Set<Sdk>): Promise<void> {
  const end = performance.now() + INSTALL_MS;
  for (const sdk of missing) {
    // Two SDKs may share a folder.
    if (!isInstalled(sdk)) process.stderr.write(`installing ${titleOf(sdk)} into ${folderOf(sdk)}\n`);
    if (isInstalled(sdk) || (await install(sdk, end - performance.now()))) missing.delete(sdk);
  }
}

async function judge(tasks: readonly Task[]) {
  const gateway = await Gateway.start();
  const results = new Map<Task, Result>();
  const work = async (waiting: Task[]): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      const begun = performance.now();
      const result = await judgeOne(task, gateway);
      results.set(task, result);
      const s = ((performance.now() - begun) / 1_000).toFixed(1);
      const verdict = result.wrong.length === 0 ? 'as known' : `FAULT: ${result.wrong.join('; ')}`;
      process.stderr.write(`${task.server} ${task.column}: ${verdict} (${s} s)\n`);
    }
  };
  const waiting = [...tasks];
  await Promise.all(Array.from({ length: AT_ONCE }, () => work(waiting)));
  // Four at once on a busy machine meet deadlines that are not ours: what differs is what differs alone, too.
  const again = tasks.filter((task) => results.get(task)?.wrong.length !== 0);
  if (again.length > 0) process.stderr.write(`${again.length} cells differ; they are tried alone\n`);
  await work(again);
  await gateway.stop();
  await runEnds();
  const all = [...results];
  return {
    wrong: all.flatMap(([, { wrong }]) => wrong),
    better: all.reduce((sum, [, { seen }]) => sum + (seen.better?.length ?? 0), 0),
    seen: Object.fromEntries(all.map(([{ server, column }, { seen }]) => [`${server} ${column}`, seen])),
  };
}

interface Result {
  readonly wrong: readonly string[];
  readonly seen: Partial<Seen>;
}

async function judgeOne(task: Task, gateway: Gateway): Promise<Result> {
  try {
    const seen = await task.run(gateway);
    return { seen, wrong: differences(task, seen.faults) };
  } catch (error) {
    return { seen: {}, wrong: [`${task.server} ${task.column}: ${String(error)}`] };
  }
}

function titleOf({ name, version }: Sdk): string {
  return `${name} ${version}`;
}
function print(text: string, code = 0): number {
  process.stdout.write(text);
  return code;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void runEnds().finally(() => process.exit(1)));
process.exitCode = await main();
