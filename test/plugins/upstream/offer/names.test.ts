import { expect } from 'chai';
import { exposedName } from '../../../../plugins/upstream/offer/names.ts';

describe('upstream: names', () => {
  const parts = { servicePrefix: 'x', prefix: 'github', maxChars: 64 };

  it('puts prefix and server before the name, once', () => {
    expect(exposedName('search', parts)).to.equal('x_github_search');
    expect(exposedName('github_search', parts)).to.equal('x_github_search');
    expect(exposedName('githubsearch', parts)).to.equal('x_github_githubsearch');
  });

  it('cuts a long name, always to the same one, and keeps different names different', () => {
    const [a, b] = ['y', 'z'].map((end) => exposedName('n'.repeat(200) + end, parts));
    expect(a).to.have.length(64);
    expect(a).to.not.equal(b);
    expect(a).to.equal(exposedName(`${'n'.repeat(200)}y`, parts));
  });
});
