import { expect } from 'chai';
import fc from 'fast-check';
import {
  exactJson,
  exactText,
  exactValue,
  keepExactNumbers,
  sentArguments,
} from '../../../../plugins/kit/calls/exactNumbers.ts';
import type { JsonObject } from '../../../../kernel/index.ts';

/** The text of the arguments that call_tool passes on, if it is not what JSON.stringify writes. */
function exactOf(args: string): string | undefined {
  const text = `{"jsonrpc":"2.0","id":1,"params":{"name":"call_tool","arguments":{"name":"a","arguments":${args}}}}`;
  const value = JSON.parse(text) as { params: { arguments: { arguments: JsonObject } } };
  keepExactNumbers(text, value);
  return exactText(value.params.arguments.arguments);
}

describe('front: numbers of arguments', () => {
  for (const [what, text] of [
    ['integers beyond 2^53', '{"id":12345678901234567890}'],
    ['the first integer that is rounded', '{"id":9007199254740993}'],
    ['fractions that are whole', '{"f":1.0,"g":[2.50]}'],
    ['exponents', '{"f":1e5,"g":1E+400}'],
    ['a negative zero', '{"f":-0}'],
    ['digits on both sides of the point', '{"f":1234567890.12345678}'],
    ['numbers deep inside', '{"a":[{"b":{"c":[1,18446744073709551615]}}],"s":"1.0"}'],
  ] as const)
    it(`stay as sent: ${what}`, () => expect(exactOf(text)).equal(text));

  it('need nothing where JSON.stringify writes the same', () => {
    expect(exactOf('{"a":1,"b":-2.5,"c":"x"}')).equal(undefined);
  });

  it('leave texts alone that look like numbers, or like what replaces one', () => {
    const like = JSON.stringify({ a: '12345678901234567890', b: '"1.0', c: `${'0'.repeat(32)}:1` });
    const text = like.replace('{', '{"n":1.0,');
    expect(exactOf(text)).equal(text);
  });

  it('follow the last of two keys of one name, as everything else in the gateway does', () => {
    expect(exactOf('{"id":1,"id":9007199254740993}')).equal('{"id":9007199254740993}');
  });

  it('are found beside texts of any length', () => {
    const text = `{"n":1.0,"t":"${'x\\"'.repeat(5_000_000)}"}`;
    expect(exactOf(text) === text).equal(true);
  });

  it('stay as sent, whatever a JSON number may be', () => {
    const digits = fc.stringMatching(/^[0-9]{1,20}$/);
    const numbers = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.stringMatching(/^(0|[1-9][0-9]{0,20})$/),
        fc.option(digits),
        fc.option(digits),
      )
      .map(([sign, whole, fraction, power]) =>
        [
          sign,
          whole,
          fraction === null ? '' : `.${fraction}`,
          power === null ? '' : `e${power.slice(0, 2)}`,
        ].join(''),
      );
    fc.assert(
      fc.property(fc.array(numbers), (list) => {
        const text = `{"list":[${list.join(',')}]}`;
        expect(exactOf(text) ?? JSON.stringify(JSON.parse(text))).equal(text);
      }),
    );
  });

  it('change nothing else, whatever the arguments are', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (args) => {
        const text = JSON.stringify(args);
        const exact = exactOf(text);
        if (exact !== undefined) expect(JSON.parse(exact)).deep.equal(JSON.parse(text));
      }),
    );
  });
});

describe('kit: integers that JavaScript cannot hold', () => {
  const integers = {
    of: BigInt,
    digitsOf: (value: unknown) => (typeof value === 'bigint' ? String(value) : undefined),
  };

  it('are those that it would write with other digits, of up to 80', () => {
    const long = `1${'0'.repeat(80)}1`;
    const text = `[9007199254740993,9007199254740994,-12345678901234567890,1.5,1e400,${long},"9007199254740993"]`;
    const numbers = [9007199254740994, -12345678901234567890n, 1.5, Infinity, Number(long)];
    expect(exactValue(text, integers)).deep.equal([9007199254740993n, ...numbers, '9007199254740993']);
    expect(exactValue('9007199254740993', integers)).equal(9007199254740993n);
    expect(() => exactValue('{"a":"9007199254740993', integers)).throw(SyntaxError);
  });

  it('are rounded in a value that is too deep to be walked through', () => {
    const levels = 200_000;
    const text = `${'['.repeat(levels)}9007199254740993${']'.repeat(levels)}`;
    const value = exactValue(text, integers);
    expect(value).an('array');
    const args = { value };
    expect(sentArguments(args, integers)).equal(args);
  });

  it('are written as they were read, in JSON and in the arguments of a call', () => {
    const whole = fc.stringMatching(/^-?[1-9][0-9]{0,30}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(whole, fc.string())), (rows) => {
        const written = rows.map(([digits, word]) => `{"n":[${digits}],"w":${JSON.stringify(word)}}`);
        const text = `{"rows":[${written.join(',')}]}`;
        const value = exactValue(text, integers) as JsonObject;
        const sent = sentArguments(value, integers);
        expect(exactJson(value, integers)).equal(text);
        expect(exactText(sent) ?? JSON.stringify(sent)).equal(text);
        expect(sent).deep.equal(JSON.parse(text));
      }),
    );
  });
});
