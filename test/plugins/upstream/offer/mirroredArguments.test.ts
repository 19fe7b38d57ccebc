import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonObject } from '../../../../kernel/index.ts';
import { decoded } from '../../../../plugins/front/stateless/envelope.ts';
import { mirroredArguments } from '../../../../plugins/upstream/offer/mirroredArguments.ts';

const KEY = 'x-mcp-header';
const read = (schema: JsonObject) => mirroredArguments(schema, JSON.stringify({ inputSchema: schema }));
const objectOf = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const headersOf = (properties: JsonObject, args: JsonObject): readonly string[] | undefined =>
  read(objectOf(properties)).headers(args);

describe('upstream: arguments in headers', () => {
  it('are absent for most tools', () => {
    const none = read(objectOf({ a: { type: 'string', description: KEY } }));
    expect([none.fault, none.headers({ a: 'b' })]).deep.equal([undefined, undefined]);
  });

  it('have the text of a string, an integer or a boolean', () => {
    const properties = {
      s: { type: 'string', [KEY]: 'Region' },
      i: { type: 'integer', [KEY]: 'Count' },
      b: { type: 'boolean', [KEY]: 'Is-Dry' },
    };
    const args = { s: 'eu', i: -7, b: false };
    expect(headersOf(properties, args)).deep.equal([
      ...['mcp-param-region', 'eu', 'mcp-param-count', '-7', 'mcp-param-is-dry', 'false'],
    ]);
  });

  it('are left out where a call has none, or one that the schema refuses', () => {
    const properties = { a: { type: 'string', [KEY]: 'A' } };
    for (const a of [undefined, null, {}, ['b'], 1.5, 2 ** 60])
      expect(headersOf(properties, { a })).deep.equal([]);
    expect(headersOf({ toString: { type: 'string', [KEY]: 'A' } }, {})).deep.equal([]);
  });

  it('may be at any depth of properties', () => {
    const deep = objectOf({ b: objectOf({ properties: { type: 'string', [KEY]: 'A' } }) });
    expect(headersOf({ a: deep }, { a: { b: { properties: 'ü' } } })).deep.equal([
      ...['mcp-param-a', '=?base64?w7w=?='],
    ]);
    expect(headersOf({ a: deep }, { a: 'b' })).deep.equal([]);
  });

  it('can be read back as they were', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (a) => {
        const [header, value] = headersOf({ a: { type: 'string', [KEY]: 'A' } }, { a }) ?? [];
        expect([header, decoded(value)]).deep.equal(['mcp-param-a', a]);
      }),
    );
  });

  const marked = { type: 'string', [KEY]: 'A' };
  for (const [what, schema, fault] of [
    [
      'the schema itself',
      { ...objectOf({}), [KEY]: 'A' },
      /the schema itself is allowed only below properties/,
    ],
    ['items of a list', objectOf({ a: { type: 'array', items: marked } }), /a\.items is allowed only below/],
    ['one of several schemas', objectOf({ a: { anyOf: [marked] } }), /a\.anyOf is allowed only below/],
    ['further properties', { type: 'object', additionalProperties: marked }, /is allowed only below/],
    ['definitions', { ...objectOf({}), $defs: { a: marked } }, /is allowed only below/],
    ['below items', objectOf({ a: { items: objectOf({ b: marked }) } }), /is allowed only below/],
    [
      'a number',
      objectOf({ a: { type: 'number', [KEY]: 'A' } }),
      /a is allowed only for a string, an integer/,
    ],
    [
      'an object',
      objectOf({ a: { ...objectOf({}), [KEY]: 'A' } }),
      /a is allowed only for a string, an integer/,
    ],
    ['no type', objectOf({ a: { [KEY]: 'A' } }), /a is allowed only for a string, an integer/],
    [
      'several types',
      objectOf({ a: { type: ['string', 'null'], [KEY]: 'A' } }),
      /only for a string, an integer/,
    ],
    ['an empty name', objectOf({ a: { type: 'string', [KEY]: '' } }), /a is not the name of a header/],
    [
      'a name with a line break',
      objectOf({ a: { type: 'string', [KEY]: 'A\r\nX' } }),
      /not the name of a header/,
    ],
    ['a name that is not a text', objectOf({ a: { type: 'string', [KEY]: 1 } }), /not the name of a header/],
    [
      'a name twice',
      objectOf({ a: marked, b: { ...marked, [KEY]: 'a' } }),
      /b repeats the name of another one/,
    ],
  ] as const)
    it(`are not possible for ${what}`, () => {
      expect(read(schema).fault).match(fault);
    });

  it('are named in a fault without control characters, and in part if long', () => {
    const name = `\u001b[2J\u202e${'x'.repeat(1_000)}`;
    const { fault } = read(objectOf({ [name]: { type: 'number', [KEY]: 'A' } }));
    expect(fault).equal(`${KEY} of ${'x'.repeat(200)} is allowed only for a string, an integer or a boolean`);
  });

  it('may be very many, which a hostile server could declare to keep the gateway busy', () => {
    const numbers = Array.from({ length: 200_000 }, (_, at) => at);
    const many = objectOf(
      Object.fromEntries(numbers.map((at) => [`a${at}`, { type: 'string', [KEY]: `H${at}` }])),
    );
    expect(read(many).headers({ a7: 'x' })).deep.equal(['mcp-param-h7', 'x']);
    expect(read(objectOf({ o: many, z: { type: 'string', [KEY]: 'h7' } })).fault).match(/z repeats the name/);
  });

  it('are not declared by data in a schema', () => {
    const data = { [KEY]: 'A' };
    const schema = objectOf({ a: { const: data, enum: [data], default: data, examples: [data] } });
    expect(read(schema).fault).equal(undefined);
  });
});
