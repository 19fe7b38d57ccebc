import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { Ranker } from '../../../plugins/metatools/rank.ts';
import type { Ranking } from '../../../plugins/metatools/rank.ts';
import type { Tool } from '../../../kernel/contracts/tool.ts';
import { serverTool } from './board.ts';

type ToolRow = readonly [server: string, name: string, description: string, title?: string];
type QueryRow = readonly [query: string, tag: string, want: readonly (readonly string[])[]];

const ranker = new Ranker();
const tools = linesOf<ToolRow>('tools').map(toTool);
let answers: readonly Answered[] = [];
let wanted: readonly Answered[] = [];
let unwanted: readonly Answered[] = [];

interface Answered extends Ranking {
  readonly query: string;
  readonly want: readonly (readonly string[])[];
}

// Plain BM25F with the name counting three times reaches 85 and 77 on these queries.
describe('metatools: discovery quality', () => {
  before(async () => {
    const asked = linesOf<QueryRow>('queries').map(async ([query, , want]) => ({
      query,
      want,
      ...(await ranker.rank(query, tools, 1)),
    }));
    answers = await Promise.all(asked);
    wanted = answers.filter(({ want }) => want.length > 0);
    unwanted = answers.filter(({ want }) => want.length === 0);
  });

  it('shows a tool for what is asked among the first five', () => {
    expect(mean(wanted.map((answer) => shareWithin(answer, 5)))).to.be.greaterThan(0.94);
  });

  it('puts it near the top', () => {
    const ranks = wanted.flatMap((answer) => answer.want.map((group) => rankOf(answer, group)));
    expect(mean(ranks.map((rank) => (rank <= 20 ? 1 / rank : 0)))).to.be.greaterThan(0.88);
  });

  it('says that it is not sure when there is no tool, and seldom when there is one', () => {
    const isHonest = ({ hits, isSure }: Answered): boolean => hits.length === 0 || !isSure;
    expect(mean(unwanted.map((answer) => Number(isHonest(answer))))).to.be.greaterThan(0.94);
    expect(mean(wanted.map(({ isSure }) => Number(isSure)))).to.be.greaterThan(0.88);
  });

  it('gives the same order and scores whatever order the tools come in', async () => {
    const other = new Ranker();
    const shuffled = [...tools].reverse();
    for (const { query, hits } of answers.slice(0, 40)) {
      const { hits: again } = await other.rank(query, shuffled, 1);
      const byName = (a: { tool: Tool }, b: { tool: Tool }): number => (a.tool.name < b.tool.name ? -1 : 1);
      expect([...again].sort(byName)).to.deep.equal([...hits].sort(byName));
      expect(again.map(({ score }) => score)).to.deep.equal(hits.map(({ score }) => score));
    }
  });
});

function linesOf<T>(name: string): readonly T[] {
  const file = new URL(`../../../../test/plugins/metatools/discovery/${name}.jsonl`, import.meta.url);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as T);
}

function toTool([server, name, description, title]: ToolRow): Tool {
  return serverTool(server, name, { description, declared: { name, ...(title !== undefined && { title }) } });
}

function rankOf({ hits }: Answered, group: readonly string[]): number {
  const at = hits.findIndex(({ tool }) =>
    group.includes(`${tool.server ?? ''}/${String(tool.declared?.['name'])}`),
  );
  return at < 0 ? Infinity : at + 1;
}

function shareWithin(answer: Answered, most: number): number {
  return mean(answer.want.map((group) => Number(rankOf(answer, group) <= most)));
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
