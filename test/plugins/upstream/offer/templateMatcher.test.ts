import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalUri } from '../../../../plugins/upstream/client/conversation/canonicalUri.ts';
import { templateMatcher } from '../../../../plugins/upstream/offer/templateMatcher.ts';

describe('upstream: templates of resources', () => {
  it('match the uris that they may produce', () => {
    const cases: readonly (readonly [template: string, uri: string, isMatch: boolean])[] = [
      ['page://a/{number}', 'page://a/7', true],
      ['page://a/{number}', 'page://a/', true],
      ['page://a/{number}', 'page://b/7', false],
      ['db://{table}/row/{id}.json', 'db://users/row/7.json', true],
      ['db://{table}/row/{id}.json', 'db://users/column/7.json', false],
      ['a{x}a', 'a', false],
      ['a{x}a', 'aa', true],
      ['{x}', '', true],
      ['exact', 'exact', true],
      ['exact', 'exactly', false],
      ['search://{?q,lang*}', 'search://?q=1', true],
      ['a*b?[c]', 'a*b?[c]', true],
      ['a*b?[c]', 'aXbYc', false],
      ['{{x}', '{7', true],
      ['{x', '{x', true],
      ['file:///café/{x}', 'file:///caf%C3%A9/7', true],
      ['file:///caf%c3%a9/{x}', 'file:///café/a b', true],
      ['file:///a/{x}', 'file:///a%2F7', false],
    ];
    for (const [template, uri, isMatch] of cases)
      expect(templateMatcher(template)(canonicalUri(uri)), `${template} ${uri}`).to.equal(isMatch);
  });

  it('match any text in place of each expression', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 });
    const uri = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), uri, (parts, text) => {
        const pattern = new RegExp(`^${parts.join('[^]*')}$`);
        expect(templateMatcher(parts.join('{x}'))(text)).to.equal(pattern.test(text));
      }),
    );
  });

  it('are read in one pass, whatever they hold', () => {
    const length = 60_000;
    const begun = performance.now();
    for (const one of ['{', '}', '{}', '{x', '{x}']) {
      const template = one.repeat(length / one.length);
      expect(templateMatcher(template)('a'.repeat(length))).to.equal(!/^[{}]$|^{x$/.test(one));
    }
    // Reading each brace again to the end of the text takes minutes.
    expect(performance.now() - begun).below(5_000);
  });
});
