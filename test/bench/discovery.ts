// Prints how well filter_tools finds tools, beside plain BM25, and its cost with 10,000 tools; with `--queries FILE` only the first, for those queries.
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Catalogue } from '../../kernel/catalogue.ts';
import { Ranker } from '../../plugins/metatools/search/ranker.ts';
import { answerAll, discoveryQueries, discoveryTools, figuresOf, queriesIn } from '../support/discovery.ts';
import type { Answered, Query } from '../support/discovery.ts';
import { besidePlain, publicSets } from './publicSets.ts';
import { requestOf } from '../support/requests.ts';

/** Ten and a hundred thousand tools. */
const SIZES: readonly Size[] = [
  { copies: 8, searches: 2_000, updates: 20 },
  { copies: 80, searches: 700, updates: 3 },
];
const SERVER_TOOLS = 50;

interface Size {
  /** Number of times that the own tools are there, under other names. */
  readonly copies: number;
  readonly searches: number;
  readonly updates: number;
}

async function quality(): Promise<void> {
  const tools = discoveryTools();
  const paraphrases = discoveryQueries('paraphrases');
  const sets: readonly (readonly [string, readonly Query[]])[] = [
    ['queries', discoveryQueries('queries')],
    ['paraphrases, tuned half', paraphrases.filter(({ half }) => half === 'tuned')],
    ['paraphrases, kept half', paraphrases.filter(({ half }) => half === 'kept')],
  ];
  for (const [name, queries] of sets) {
    const answers = await answerAll(queries, tools);
    printFigures(name, answers);
    print(besidePlain(name, answers, tools));
  }
  for (const set of publicSets())
    print(besidePlain(set.name, await answerAll(set.queries, set.tools), set.tools));
}

async function qualityOf(file: string): Promise<void> {
  const answers = await answerAll(queriesIn(file), discoveryTools());
  printFigures('all', answers);
  const answersOf = (tag: string): readonly Answered[] => answers.filter((one) => one.tag === tag);
  for (const tag of new Set(answers.map((one) => one.tag))) printFigures(tag, answersOf(tag));
}

function printFigures(name: string, answers: readonly Answered[]): void {
  const { recallAt5, meanReciprocalRank, refusal, confidence } = figuresOf(answers);
  print(
    `discovery  ${name.padEnd(24)} recall@5 ${percent(recallAt5)}  MRR ${percent(meanReciprocalRank)}` +
      `  refused without a tool ${percent(refusal)}  confident with one ${percent(confidence)}`,
  );
}

/** The path of a caller: its visible tools, ranked, while one server's tools are added and removed. */
async function size({ copies, searches, updates }: Size): Promise<void> {
  const tools = discoveryTools(copies);
  const catalogue = new Catalogue(
    (tool) => tool,
    () => undefined,
    () => undefined,
  );
  catalogue.replace(
    tools.map((tool) => ({ owner: 'bench', tool })),
    [],
  );
  const ranker = new Ranker();
  const request = requestOf();
  const search = async (query: string): Promise<void> => {
    const { hits } = await ranker.rank(query, catalogue.visibleTo(request), catalogue.generation);
    hits.slice(0, 5);
  };
  const queries = [...discoveryQueries('queries'), ...discoveryQueries('paraphrases')];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const listMs = await timed(() => Promise.resolve(void catalogue.visibleTo(request)));
  await sleep(20);
  delay.reset();
  const firstMs = await timed(() => search('list pods'));
  const readingStall = delay.max;
  const times: number[] = [];
  const cpuTimes: number[] = [];
  for (let at = 0; at < searches; at += 1) {
    const { query } = queries[at % queries.length] as Query;
    const before = process.cpuUsage();
    times.push(await timed(() => search(query)));
    const { user, system } = process.cpuUsage(before);
    cpuTimes.push((user + system) / 1_000);
    // Each search is a request of its own: the event loop turns between two.
    await turn();
  }
  const changes: number[] = [];
  for (let at = 0; at < updates; at += 1) {
    const fresh = tools.slice(0, SERVER_TOOLS).map((tool) => ({ ...tool, name: `x_new${at}_${tool.name}` }));
    await sleep(0);
    const ms = await timed(async () => {
      for (const tool of fresh) catalogue.add('bench', tool);
      await search('list pods');
    });
    changes.push(ms);
    for (const tool of fresh) catalogue.remove(tool);
  }
  delay.disable();
  print(
    `discovery  ${catalogue.visibleTo(request).length} tools: search p50 ${ms(at(times, 0.5))}, p99 ${ms(at(times, 0.99))} (CPU ${ms(at(cpuTimes, 0.5))}, ${ms(at(cpuTimes, 0.99))});` +
      ` their list ${ms(listMs)}; first search, reading all, ${ms(firstMs)}, longest stall ${ms(readingStall / 1e6)}; a server's ${SERVER_TOOLS} tools new, to the next answer, ${ms(at(changes, 0.5))}` +
      ` (worst ${ms(Math.max(...changes))}); longest stall ${ms(delay.max / 1e6)}`,
  );
}

async function timed(run: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await run();
  return performance.now() - begin;
}

function at(times: readonly number[], share: number): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
}

function percent(share: number): string {
  return Number.isNaN(share) ? '–' : `${(share * 100).toFixed(1)} %`;
}

function ms(time: number): string {
  return `${time.toFixed(1)} ms`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const file = process.argv[process.argv.indexOf('--queries') + 1];
if (process.argv.includes('--queries') && file !== undefined) {
  await qualityOf(file);
} else {
  for (const one of SIZES) await size(one);
  await quality();
}
