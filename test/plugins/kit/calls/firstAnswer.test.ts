import { expect } from 'chai';
import { firstAnswer } from '../../../../plugins/kit/calls/firstAnswer.ts';

describe('firstAnswer', () => {
  const none = () => new Error('no source answered');

  it('returns the first answer and asks no further', () => {
    const asked: number[] = [];
    const ask = (source: number) => {
      asked.push(source);
      return source > 1 ? `answer of ${source}` : undefined;
    };
    expect(firstAnswer([1, 2, 3], ask, none)).to.equal('answer of 2');
    expect(asked).to.deep.equal([1, 2]);
  });

  it('takes an empty answer for one', () => {
    expect(firstAnswer(['', 'x'], (source) => source, none)).to.equal('');
  });

  it('throws when no source answers', () => {
    expect(() => firstAnswer([1, 2], () => undefined, none)).to.throw('no source answered');
  });
});
