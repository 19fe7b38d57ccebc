import { expect } from 'chai';
import { hiddenIn, hiderOf } from '../../../kernel/lib/hiding.ts';

describe('hiding', () => {
  it('takes secrets out of texts, the longer of two that begin alike whole, and leaves short values', () => {
    const hide = hiderOf(['sk-12345678', 'sk-12345678-longer', '8080', 'a+b*c.d?e']);
    expect(hide('one sk-12345678-longer, two sk-12345678, port 8080, a+b*c.d?e')).to.equal(
      'one [redacted], two [redacted], port 8080, [redacted]',
    );
    expect(hiderOf([])('anything')).to.equal('anything');
  });

  it('knows a secret without its scheme, as JSON writes it, and line by line', () => {
    const hide = hiderOf(['Bearer abcdefgh', 'first half\n"second" half']);
    expect(hide('abcdefgh')).to.equal('[redacted]');
    expect(hide(JSON.stringify('first half\n"second" half'))).to.equal('"[redacted]"');
    expect(hide('x first half\ny "second" half')).to.equal('x [redacted]\ny [redacted]');
  });

  it('goes through strings, numbers and keys of a value, and keeps the rest as it is', () => {
    const hide = hiderOf(['4815162342']);
    const value = { list: [4815162342, 'is 4815162342', 7, null, true], '4815162342': { n: 1.5 } };
    expect(hiddenIn(value, hide)).to.deep.equal({
      list: ['[redacted]', 'is [redacted]', 7, null, true],
      '[redacted]': { n: 1.5 },
    });
  });
});
