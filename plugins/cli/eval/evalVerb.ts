import { readFile } from 'node:fs/promises';
import { text as textIn } from 'node:stream/consumers';
import { isObject, messageOf } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Failure } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { asText, printList } from '../output/print.ts';
import { unshielded } from '../../kit/text/shownText.ts';
import { verb } from '../verb.ts';
import { evaluate, isMissed } from './evaluation.ts';
import type { Answered, Evaluation } from './evaluation.ts';
import { readRequests } from './readRequests.ts';
import type { Wanted } from './readRequests.ts';

/** As deep as ranks count. */
const LIMIT = 10;

/** A request without a right tool among the first five. */
type Miss = Answered & {
  /** Wanted tools that the gateway does not have, or does not show to this caller. */
  readonly unknown?: readonly string[];
};

export const evalVerb = verb({
  name: 'eval',
  summary: 'how well search finds the tools for requests of your own',
  parameters: [
    { name: '<file>', description: 'lines of JSON, or YAML: query and want; - is standard input' },
  ],
  options: [{ flags: '--min-recall <share>', description: 'exit code 1 if R@5 is lower: 0.9 for 90 %' }],
  examples: ['pegboard eval requests.jsonl', 'pegboard eval requests.yaml --min-recall 0.9 -o json'],
  run: async (invocation) => {
    const { minRecall, output } = optionsOf<{ readonly minRecall?: string }>(invocation);
    const least = Number(minRecall ?? 0);
    if (!(least >= 0 && least <= 1))
      throw new Failure(`--min-recall must be a number from 0 to 1, not ${String(minRecall)}`);
    const [file = ''] = invocation.args;
    const wanted = readRequests(await textOf(file, invocation), file);
    const { answered, misses } = await Gateway.connected(invocation, async (gateway) => {
      const answered = await ask(gateway, wanted, invocation);
      return { answered, misses: await missesOf(gateway, answered) };
    });
    const evaluation = evaluate(answered);
    if (output === 'json' || output === 'yaml')
      invocation.terminal.out(asText({ ...evaluation, misses }, output));
    else print(evaluation, misses, invocation);
    const { recallAt5 } = evaluation;
    if (recallAt5 === null || recallAt5 >= least) return 0;
    throw new Failure(`R@5 is ${recallAt5.toFixed(3)}, below --min-recall ${String(minRecall)}`);
  },
});

async function textOf(file: string, { terminal }: Invocation): Promise<string> {
  if (file === '-') return textIn(terminal.input);
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new Failure(`${file} cannot be read: ${messageOf(error)}`);
  });
}

async function ask(
  gateway: Gateway,
  wanted: readonly Wanted[],
  invocation: Invocation,
): Promise<readonly Answered[]> {
  const answered: Answered[] = [];
  const { quiet } = optionsOf(invocation);
  const { hasColour } = invocation.terminal;
  const show = (text: string): void => {
    if (hasColour && quiet !== true) unshielded(invocation.terminal).err(`\r\u001b[K${text}`);
  };
  for (const one of wanted) {
    show(`${answered.length} of ${wanted.length} requests`);
    const answer = await gateway.read('filter_tools', { query: one.query, limit: LIMIT });
    answered.push({ ...one, got: namesIn(answer), confident: answer['confident'] === true });
  }
  show('');
  return answered;
}

async function missesOf(gateway: Gateway, answered: readonly Answered[]): Promise<readonly Miss[]> {
  const known = new Map<string, boolean>();
  const isKnown = async (name: string): Promise<boolean> => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const { visible } = await gateway.read('explain_tool', { name });
    known.set(name, visible === true);
    return visible === true;
  };
  const misses: Miss[] = [];
  for (const { place, query, want, got, confident } of answered.filter(isMissed)) {
    const unknown: string[] = [];
    for (const name of want.flat()) if (!(await isKnown(name))) unknown.push(name);
    misses.push({ place, query, want, got, confident, ...(unknown.length > 0 && { unknown }) });
  }
  return misses;
}

function namesIn({ tools }: JsonObject): readonly string[] {
  return Array.isArray(tools) ? tools.flatMap((tool) => (isObject(tool) ? [String(tool['name'])] : [])) : [];
}

function print(evaluation: Evaluation, misses: readonly Miss[], invocation: Invocation): void {
  const { requests, recallAt1, recallAt5, mrr, confident, confidentPrecision } = evaluation;
  const { output } = optionsOf(invocation);
  const right = confidentPrecision === null ? '' : `, of which ${percent(confidentPrecision)} right`;
  if (output !== 'name')
    invocation.terminal.out(
      `${requests} requests: R@1 ${percent(recallAt1)}, R@5 ${percent(recallAt5)}, MRR ${mrr?.toFixed(3) ?? '-'}; confident ${percent(confident)}${right}\n`,
    );
  if (misses.length === 0) return;
  const shown = (name: string, { unknown = [] }: Miss): string =>
    unknown.includes(name) ? `${name} (unknown)` : name;
  const rows = misses.map((miss) => ({
    ...miss,
    want: miss.want.map((need) => need.map((name) => shown(name, miss)).join('|')),
    got: miss.got.slice(0, 5),
  }));
  printList(invocation, 'misses', rows, [
    { title: 'missed', value: 'query' },
    { title: 'want', value: 'want' },
    { title: 'got', value: 'got' },
    { title: 'place', value: 'place', isWide: true },
  ]);
}

function percent(share: number | null): string {
  return share === null ? '-' : `${(100 * share).toFixed(1)} %`;
}
