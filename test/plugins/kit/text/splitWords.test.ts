import { expect } from 'chai';
import { splitWords } from '../../../../plugins/kit/text/splitWords.ts';

describe('plugins/cli: words of a line', () => {
  it('are split as a shell splits them', () => {
    expect(splitWords(`a  "b c" 'd "e"' f\\ g h="i j" "k\\"l" ''`)).deep.equal([
      ...['a', 'b c', 'd "e"', 'f g', 'h=i j', 'k"l', ''],
    ]);
  });

  it('need every quote closed', () => {
    expect(() => splitWords('a "b c')).throw('" is not closed');
  });
});
