import { expect } from 'chai';
import { Ranker } from '../../../plugins/metatools/rank.ts';
import type { Tool } from '../../../kernel/contracts/tool.ts';
import { answerAll, discoveryQueries, discoveryTools, figuresOf } from '../../support/discovery.ts';
import type { Answered } from '../../support/discovery.ts';

const tools = discoveryTools();
let answers: readonly Answered[] = [];

describe('metatools: discovery quality', () => {
  before(async () => {
    answers = await answerAll(discoveryQueries('queries'), tools);
  });

  it('shows a tool for what is asked among the first five', () => {
    expect(figuresOf(answers).recallAt5).to.be.at.least(0.95);
  });

  it('puts it near the top', () => {
    expect(figuresOf(answers).meanReciprocalRank).to.be.at.least(0.87);
  });

  it('says that it is not sure when there is no tool, and seldom when there is one', () => {
    const { refusal, confidence } = figuresOf(answers);
    expect(refusal).to.be.at.least(0.95);
    expect(confidence).to.be.at.least(0.87);
  });

  it('holds for long sentences, foreign words and other people’s ways to say it', async () => {
    const figures = figuresOf(await answerAll(discoveryQueries('paraphrases'), tools));
    expect(figures.recallAt5).to.be.at.least(0.92);
    expect(figures.meanReciprocalRank).to.be.at.least(0.81);
    expect(figures.refusal).to.be.at.least(0.92);
    expect(figures.confidence).to.be.at.least(0.81);
  });

  it('gives the same order and scores whatever order the tools come in', async () => {
    const ranker = new Ranker();
    const shuffled = [...tools].reverse();
    for (const { query, hits } of answers.slice(0, 40)) {
      const all = (await ranker.rank(query, shuffled, 1)).hits;
      const again = all.slice(0, all.length);
      const byName = (a: { tool: Tool }, b: { tool: Tool }): number => (a.tool.name < b.tool.name ? -1 : 1);
      expect([...again].sort(byName)).to.deep.equal([...hits].sort(byName));
      expect(again.map(({ score }) => score)).to.deep.equal(hits.map(({ score }) => score));
    }
  });
});
