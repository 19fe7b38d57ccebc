import { expect } from 'chai';
import fc from 'fast-check';
import { splitArray } from '../../../../../plugins/kit/text/rawJson.ts';
import { splitMessage } from '../../../../../plugins/upstream/client/rpc/splitMessage.ts';

describe('upstream: splitMessage', () => {
  const id = fc.integer({ min: 0, max: 2 ** 40 });
  const space = fc.constantFrom('', ' ', '\t', '\r\n', '  ');

  it('returns id and a result equal to those of JSON.parse, in any order of the members', () => {
    const others = fc.dictionary(
      fc.string().filter((key) => !['id', 'result', 'method', 'jsonrpc', '__proto__'].includes(key)),
      fc.jsonValue(),
    );
    const message = fc.tuple(id, fc.jsonValue(), others, fc.integer(), space);
    fc.assert(
      fc.property(message, ([number, result, more, seed, gap]) => {
        const members = Object.entries({ jsonrpc: '2.0', id: number, result, ...more });
        const turned = [
          ...members.slice(Math.abs(seed) % members.length),
          ...members.slice(0, Math.abs(seed) % members.length),
        ];
        const pairs = turned.map(
          ([key, value]) => `${gap}${JSON.stringify(key)}${gap}:${gap}${JSON.stringify(value)}${gap}`,
        );
        const split = splitMessage(`${gap}{${pairs.join(',')}}${gap}`);
        expect(split?.id).to.equal(number);
        expect(JSON.parse(split?.result ?? '')).to.deep.equal(JSON.parse(JSON.stringify(result)));
      }),
      { numRuns: 500 },
    );
  });

  it('never returns a result that is not one complete JSON value', () => {
    const fragments = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      '1',
      'null',
      'x',
      '\n',
      ' ',
      '"result":',
      '"id":',
      '"jsonrpc":"2.0"',
    );
    const garbage = fc.array(fragments, { maxLength: 12 }).map((parts) => parts.join(''));
    const shaped = fc.oneof(
      garbage,
      garbage.map((inner) => `{"result":${inner},"jsonrpc":"2.0","id":1}`),
      garbage.map((inner) => `{"jsonrpc":"2.0","id":1,"result":${inner}}`),
    );
    fc.assert(
      fc.property(shaped, (text) => {
        const split = splitMessage(text);
        if (split === undefined) return;
        expect(() => void JSON.parse(text)).to.not.throw();
        if (split.result !== undefined) expect(split.value).to.deep.equal(JSON.parse(split.result));
      }),
      { numRuns: 2_000 },
    );
  });

  it('uses the last of two results, as JSON.parse does', () => {
    expect(splitMessage('{"id":1,"result":{"a":1},"result":{"a":2}}')).to.deep.equal({
      id: 1,
      result: '{"a":2}',
      value: { a: 2 },
    });
    expect(splitMessage('{"jsonrpc":"2.0","id":1,"result":{"a":1},"result":{"a":2}}')).to.deep.equal({
      id: 1,
      result: '{"a":2}',
      value: { a: 2 },
    });
  });

  it('returns requests, notifications and errors parsed', () => {
    for (const text of [
      '{"method":"ping","id":1}',
      '{"method":"n"}',
      '{"id":1,"error":{"code":1,"message":"m"}}',
    ]) {
      expect(splitMessage(text)).to.deep.equal({ message: JSON.parse(text) as unknown });
    }
  });

  it('returns undefined for a message that is not an object', () => {
    for (const text of ['', 'x', '[]', '"a"', '1', 'null', '{"result":1'])
      expect(splitMessage(text)).to.equal(undefined);
  });

  it('keeps depth beyond any recursion', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(splitMessage(`{"id":1,"result":${deep}}`)).to.include({ id: 1, result: deep });
  });

  it('cuts an array into its items', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), space, (items, gap) => {
        const text = `${gap}[${items.map((item) => `${gap}${JSON.stringify(item)}${gap}`).join(',')}]`;
        const parsed = splitArray(text).map((item) => JSON.parse(item) as unknown);
        expect(parsed).to.deep.equal(JSON.parse(text));
      }),
    );
  });
});
