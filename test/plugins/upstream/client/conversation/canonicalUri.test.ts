import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalUri } from '../../../../../plugins/upstream/client/conversation/canonicalUri.ts';

describe('upstream: forms of one uri', () => {
  it('are equal after normalisation, and only they', () => {
    const equal = [
      ['file:///docs/café/a b', 'file:///docs/caf%C3%A9/a%20b', 'file:///docs/caf%c3%A9/%61 b'],
      ['x://~user', 'x://%7Euser', 'x://%7euser'],
      ['x://{a}|b', 'x://%7Ba%7D%7Cb'],
    ];
    for (const forms of equal) expect(new Set(forms.map(canonicalUri)), forms[0]).to.have.length(1);
    for (const [a, b] of [
      ['x://a/b', 'x://a%2Fb'],
      ['x://a?b', 'x://a%3Fb'],
      ['x://a%b', 'x://a%25b'],
      ['x://A', 'x://a'],
      ['x://é', 'x://e%CC%81'],
    ] as const)
      expect(canonicalUri(a)).to.not.equal(canonicalUri(b));
  });

  it('have the same form again, whatever they hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (uri) => {
        expect(canonicalUri(canonicalUri(uri))).to.equal(canonicalUri(uri));
        expect(canonicalUri(uri)).to.match(/^[\x21-\x7e]*$/);
      }),
    );
    expect(() => canonicalUri('x://\ud800')).to.not.throw();
  });
});
