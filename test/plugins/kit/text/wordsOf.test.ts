import { expect } from 'chai';
import { wordsOf } from '../../../../plugins/kit/text/wordsOf.ts';

describe('metatools: words', () => {
  it('are split as in camelCase and snake_case, but not after a number that has its letter', () => {
    expect(wordsOf('HTTPServer list_pods 2FA')).to.deep.equal([...['http', 'server', 'list', 'pods', '2fa']]);
    expect(wordsOf('a 3D room')).to.deep.equal(['a', '3d', 'room']);
  });
});
