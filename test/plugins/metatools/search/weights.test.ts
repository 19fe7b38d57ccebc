import { expect } from 'chai';
import { boardOf, namesIn, serverTool } from '../board.ts';

describe('metatools: field weights of a search', () => {
  it('weigh a word in the name more than the same word in the summary', async () => {
    const tools = [
      serverTool('a', 'zebra_of_africa', { description: 'Shows a picture of it' }),
      serverTool('b', 'picture_of_africa', { description: 'Shows a zebra of it' }),
    ];
    for (const [query, first] of [
      ['zebra', 'x_a_zebra_of_africa'],
      ['picture', 'x_b_picture_of_africa'],
    ] as const) {
      const board = await boardOf({ tools });
      const answer = await board.ask('filter_tools', { query });
      expect(namesIn(answer)).to.have.length(2);
      expect(namesIn(answer)[0]).to.equal(first);
      expect(answer.tools[0]?.score).to.be.greaterThan(answer.tools[1]?.score ?? Infinity);
    }
  });
});
