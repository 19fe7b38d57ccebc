import { readFileSync } from 'node:fs';
import type { Tool } from '../../kernel/contracts/call.ts';
import { Ranker } from '../../plugins/metatools/search/ranker.ts';
import type { Hit } from '../../plugins/metatools/search/ranker.ts';
import { packageFile } from '../../kernel/lib/packageFile.ts';

/** `want`: groups of `server/name`; any tool of a group serves that intent, and every group must be served. */
export interface Query {
  readonly query: string;
  readonly tag: string;
  readonly want: readonly (readonly string[])[];
  /** Whether the ranker was tuned with it or only measured, for paraphrases. */
  readonly half?: 'tuned' | 'kept';
}
export interface Answered extends Query {
  readonly hits: readonly Hit[];
  readonly isSure: boolean;
}
/** Shares, 0…1. */
export interface DiscoveryFigures {
  readonly recallAt5: number;
  readonly meanReciprocalRank: number;
  /** Share of the queries that no tool serves that are answered with nothing, or with a page marked not confident. */
  readonly refusal: number;
  /** Share of the queries that a tool serves that are answered with confidence. */
  readonly confidence: number;
}
interface ToolRow {
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly parameters: readonly string[];
}

const RANKS_COUNTED = 20;

/** 1,261 tools of public servers, as the plugin upstream registers them. @param copies number of times, under other names */
export function discoveryTools(copies = 1): readonly Tool[] {
  const rows = linesOf<ToolRow>('tools');
  return Array.from({ length: copies }, (_, copy) => rows.map((row) => toTool(row, copy))).flat();
}

export function discoveryQueries(name: 'queries' | 'paraphrases'): readonly Query[] {
  return linesOf<Query>(name);
}

/** Queries of another file of the same form. */
export function queriesIn(path: string): readonly Query[] {
  return rowsOf<Query>(readFileSync(path, 'utf8'));
}

export async function answerAll(
  queries: readonly Query[],
  tools: readonly Tool[],
): Promise<readonly Answered[]> {
  const ranker = new Ranker();
  const answers: Answered[] = [];
  for (const query of queries) {
    const { hits, isSure } = await ranker.rank(query.query, tools, 1);
    answers.push({ ...query, hits: hits.slice(0, hits.length), isSure });
  }
  return answers;
}

export function figuresOf(answers: readonly Answered[]): DiscoveryFigures {
  const wanted = answers.filter(({ want }) => want.length > 0);
  const unwanted = answers.filter(({ want }) => want.length === 0);
  const ranks = wanted.flatMap((answer) => answer.want.map((group) => rankOf(answer, group)));
  return {
    recallAt5: mean(wanted.map((one) => mean(one.want.map((group) => Number(rankOf(one, group) <= 5))))),
    meanReciprocalRank: mean(ranks.map((rank) => (rank <= RANKS_COUNTED ? 1 / rank : 0))),
    refusal: mean(unwanted.map(({ hits, isSure }) => Number(hits.length === 0 || !isSure))),
    confidence: mean(wanted.map(({ isSure }) => Number(isSure))),
  };
}

function rankOf({ hits }: Answered, group: readonly string[]): number {
  const at = hits.findIndex(({ tool }) =>
    group.includes(`${tool.server ?? ''}/${String(tool.declared?.['name'])}`),
  );
  return at < 0 ? Infinity : at + 1;
}

function toTool({ server, name, title, description, parameters }: ToolRow, copy: number): Tool {
  const from = copy === 0 ? server : `${server}${copy}`;
  return {
    name: `x_${from}_${name}`,
    kind: 'tool',
    server: from,
    description,
    inputSchema: { type: 'object', properties: Object.fromEntries(parameters.map((key) => [key, {}])) },
    declared: { name, ...(title !== undefined && { title }) },
    invoke: () => Promise.reject(new Error('only to be found')),
  };
}

function linesOf<T>(name: string): readonly T[] {
  const file = packageFile(`test/plugins/metatools/discovery/${name}.jsonl`);
  return rowsOf<T>(readFileSync(file, 'utf8'));
}

function rowsOf<T>(text: string): readonly T[] {
  const lines = text.trim().split('\n');
  return lines.map((line) => JSON.parse(line) as T);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
