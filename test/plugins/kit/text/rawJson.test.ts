import { expect } from 'chai';
import fc from 'fast-check';
import { rawMember, splitArray, withRawMember, withRawMeta } from '../../../../plugins/kit/text/rawJson.ts';

const spaced = (value: unknown): string => JSON.stringify(value, null, 2);

describe('rawJson', () => {
  it('cuts members and items out unchanged', () => {
    expect(rawMember('{"a":{"n":1.0},"b":"\\"}","a": 12345678901234567890 }', 'a')).to.equal(
      '12345678901234567890',
    );
    expect(rawMember('{ }', 'a')).to.equal(undefined);
    expect(splitArray('[ 1.0, "a,]", {"b":[2]} ]')).to.deep.equal(['1.0', '"a,]"', '{"b":[2]}']);
  });

  it('finds no member in a value that is not an object', () => {
    for (const text of ['[]', '[{"a":1}]', 'null', '5', ' "{\\"a\\":1}"', '"a"'])
      expect(rawMember(text, 'a'), text).to.equal(undefined);
  });

  it('inserts a member and leaves the rest unchanged', () => {
    expect(withRawMember('{"n":1.0}', 'b', '2.0')).to.equal('{"n":1.0,"b":2.0}');
    expect(withRawMember('{ }', 'b', '[]')).to.equal('{ "b":[]}');
    expect(withRawMember('{"b":{"x":"}"},"n":1.0}', 'b', '2')).to.equal('{"b":2,"n":1.0}');
  });

  it('adds a key to _meta and keeps the others', () => {
    expect(withRawMeta('{"n":1.0}', 'b', 'true')).to.equal('{"n":1.0,"_meta":{"b":true}}');
    expect(withRawMeta('{"_meta":{"x":1.0},"n":2}', 'b', '2')).to.equal('{"_meta":{"x":1.0,"b":2},"n":2}');
    expect(withRawMeta('{"_meta":[7]}', 'b', '2')).to.equal('{"_meta":{"b":2}}');
  });

  it('reads and writes any member of any object', () => {
    const keys = fc.string().filter((key) => key !== '__proto__');
    fc.assert(
      fc.property(fc.dictionary(keys, fc.jsonValue()), keys, fc.jsonValue(), (object, key, value) => {
        const raw = JSON.stringify(value);
        for (const text of [JSON.stringify(object), spaced(object)]) {
          const written = withRawMember(text, key, raw);
          expect(JSON.parse(written)).to.deep.equal(JSON.parse(JSON.stringify({ ...object, [key]: value })));
          expect(rawMember(written, key)).to.equal(raw);
        }
      }),
    );
  });
});
