import { expect } from 'chai';
import { Ranker } from '../../../plugins/metatools/search/ranker.ts';
import type { Tool } from '../../../kernel/contracts/call.ts';
import { answerAll, discoveryQueries, discoveryTools, figuresOf } from '../../support/discovery.ts';
import type { Answered } from '../../support/discovery.ts';
import { serverTool } from './board.ts';

const tools = discoveryTools();
const FEW = [
  ...['stripe/create_refund', 'stripe/create_coupon', 'stripe/list_charges', 'hubspot/update_deal'],
  ...['figma/get_file', 'figma/get_comments', 'linear/create_issue', 'zendesk/search_tickets'],
  ...['shopify/fulfill_order', 'pagerduty/list_oncalls', 'docusign/send_envelope', 'spotify/play_track'],
];
let answers: readonly Answered[] = [];

describe('metatools: discovery quality', () => {
  before(async () => {
    answers = await answerAll(discoveryQueries('queries'), tools);
  });

  it('finds a right tool among the first five', () => {
    expect(figuresOf(answers).recallAt5).to.be.at.least(0.975);
  });

  it('ranks it near the top', () => {
    expect(figuresOf(answers).meanReciprocalRank).to.be.at.least(0.87);
  });

  it('is not confident when there is no tool, and confident in most cases when there is one', () => {
    const { refusal, confidence } = figuresOf(answers);
    expect(refusal).to.be.at.least(0.95);
    expect(confidence).to.be.at.least(0.87);
  });

  it('also holds for long sentences, foreign words and paraphrases', async () => {
    const figures = figuresOf(await answerAll(discoveryQueries('paraphrases'), tools));
    expect(figures.recallAt5).to.be.at.least(0.94);
    expect(figures.meanReciprocalRank).to.be.at.least(0.81);
    expect(figures.refusal).to.be.at.least(0.92);
    expect(figures.confidence).to.be.at.least(0.81);
  });

  it('finds tools in a small catalogue of other fields, and reports when there is none', async () => {
    const few = FEW.map((name) =>
      serverTool(name.slice(0, name.indexOf('/')), name.slice(name.indexOf('/') + 1)),
    );
    const wantedByQuery = {
      'give the customer her money back': 'create_refund',
      'a ten percent discount code for the summer sale': 'create_coupon',
      'what did the reviewers remark on the mockup': 'get_comments',
      'has the parcel left the warehouse': 'fulfill_order',
      'whose turn is it tonight': 'list_oncalls',
      'let the lawyer sign the contract electronically': 'send_envelope',
      'move the Acme opportunity to negotiation': 'update_deal',
      'order a pizza': undefined,
      'book a flight to Rome': undefined,
    };
    const ranker = new Ranker();
    for (const [query, wanted] of Object.entries(wantedByQuery)) {
      const { hits, isSure } = await ranker.rank(query, few, 1);
      const names = hits.slice(0, 2).map(({ tool }) => tool.name.replace(/^x_[a-z]+_/, ''));
      if (wanted === undefined) expect(isSure, query).to.equal(false);
      else expect(names, query).to.include(wanted);
    }
  });

  it('returns the same order and scores for any order of the tools', async () => {
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
