import { expect } from 'chai';
import { canonicalJson } from '../../../kernel/lib/json.ts';

describe('canonical JSON', () => {
  it('is the same text for equal values, independent of the order of their keys', () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'x' })).to.equal('{"a":"x","b":[{"c":null,"d":1}]}');
    expect(canonicalJson({ b: 1, a: 2 })).to.equal(canonicalJson({ a: 2, b: 1 }));
    expect(canonicalJson([2, 1])).to.not.equal(canonicalJson([1, 2]));
  });

  it('keeps a key named __proto__', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":2}'))).to.equal('{"__proto__":2,"b":1}');
  });
});
