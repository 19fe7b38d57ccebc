import { expect } from 'chai';
import type { JsonSchema } from '../../../kernel/contracts/json.ts';
import { isMarked, replaceMarked } from '../../../kernel/lib/markedSecrets.ts';
import { hideMarked } from '../../../plugins/kit/secrets/hideMarked.ts';

const text = { type: 'string' };
const secret = { type: 'string', writeOnly: true };
const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    plain: text,
    password: secret,
    tokens: { anyOf: [secret, { type: 'array', items: secret }] },
    map: { type: 'object', writeOnly: true, additionalProperties: secret },
    url: { type: 'string', writeOnly: true, format: 'address' },
    maxKeys: { type: 'integer' },
    people: { type: 'array', items: { $ref: '#/$defs/person' } },
    named: { type: 'object', patternProperties: { '^x-': secret }, additionalProperties: text },
    pair: { prefixItems: [text, secret] },
    either: {
      if: { required: ['a'] },
      then: { properties: { a: secret } },
      else: { properties: { b: secret } },
    },
    deep: {
      type: 'object',
      writeOnly: true,
      properties: { inner: { type: 'object', properties: { a: text } } },
    },
    free: { type: 'object' },
  },
  $defs: {
    person: {
      type: 'object',
      properties: {
        name: text,
        pin: { type: ['string', 'integer'], writeOnly: true },
        child: { $ref: '#/$defs/person' },
      },
      allOf: [{ properties: { key: secret } }],
    },
  },
};

/** The value with each text S hidden. */
function hiddenIn(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/"S"|1234/g, '"[redacted]"'));
}

describe('Marked secrets', () => {
  it('are hidden below properties, maps, lists, references and branches, and nothing else is', () => {
    const value = {
      plain: 'shown',
      password: 'S',
      tokens: ['S', 'S'],
      map: { a: 'S', b: '${env:NAME}', c: '', region: '${env:R:-eu-west-1}' },
      maxKeys: 7,
      people: [{ name: 'Ann', pin: 1234, key: 'S', child: { name: 'Bob', pin: 'S', child: { key: 'S' } } }],
      named: { 'x-a': 'S', y: 'shown' },
      pair: ['shown', 'S'],
      either: { a: 'S', b: 'S' },
      free: { any: 'shown' },
    };
    expect(hideMarked(schema, value)).deep.equal(hiddenIn(value));
  });

  it('are hidden in values of the wrong type, whatever is below them or in their place', () => {
    expect(hideMarked(schema, { password: { a: ['S', 5, true, null] } })).deep.equal({
      password: { a: ['[redacted]', '[redacted]', true, null] },
    });
    expect(hideMarked(schema, { map: 'S', deep: { inner: { a: 'S' } } })).deep.equal({
      map: '[redacted]',
      deep: { inner: { a: '[redacted]' } },
    });
    expect(hideMarked(schema, { people: ['S', 'S'], either: 'S' })).deep.equal({
      people: ['[redacted]', '[redacted]'],
      either: '[redacted]',
    });
  });

  it('are known by their names where no schema describes them', () => {
    const value = {
      passwrd: 'shown',
      apiToken: 'S',
      free: { headers: { 'X-A': 'S' }, signingKey: 'S', keyFile: 'shown' },
    };
    expect(hideMarked(schema, value)).deep.equal(hiddenIn(value));
  });

  it('are hidden as the defaults of references too, unless these are certainly plain', () => {
    const map = { DB_PASSWORD: '${env:P:-changeme}', U: '${env:U:-admin:hunterpass}' };
    expect(hideMarked(schema, { map, tokens: ['${env:A:-/srv/notes}'] })).deep.equal({
      map: { DB_PASSWORD: '[redacted]', U: '[redacted]' },
      tokens: ['[redacted]'],
    });
  });

  it('leave of an address all but its secret parts', () => {
    const url = 'redis://me:hunter2@localhost:6379/0';
    expect(hideMarked(schema, { url }, '[new]')).deep.equal({ url: 'redis://[new]@localhost:6379/0' });
  });

  it('keep what is hidden already', () => {
    expect(hideMarked(schema, { password: '[redacted]', tokens: 'S' }, '[new]')).deep.equal({
      password: '[redacted]',
      tokens: '[new]',
    });
  });

  it('can be replaced, each with its place', () => {
    const places: string[] = [];
    const value = { password: 'a', map: { key: 'b' }, people: [{ pin: 'c' }], url: 'd', plain: 'e' };
    const copy = replaceMarked(schema, value, (given, { path, isAmongOthers, isAddress }) => {
      places.push(
        [path.join('.'), isAmongOthers && 'among', isAddress && 'address'].filter(Boolean).join(' '),
      );
      return `${given}!`;
    });
    expect(places).deep.equal(['password', 'map.key among', 'people.0.pin', 'url address']);
    expect(copy).deep.equal({
      password: 'a!',
      map: { key: 'b!' },
      people: [{ pin: 'c!' }],
      url: 'd!',
      plain: 'e',
    });
  });

  it('are known by their path, as texts too', () => {
    const at = (path: string): boolean => isMarked(schema, path.split('.'));
    for (const path of [
      'password',
      'tokens.0',
      'map.a',
      'people.0.child.pin',
      'people.0',
      'deep.inner.a',
      'named.x-1',
    ])
      expect(at(path), path).equal(true);
    for (const path of ['plain', 'people.0.name', 'named.y', 'maxKeys', 'free', 'pair.0'])
      expect(at(path), path).equal(false);
  });

  it('are found below a schema within another one, whose references are its own', () => {
    const outer = { allOf: [{ properties: { a: text } }, { properties: { within: schema } }] };
    expect(hideMarked(outer, { a: 'shown', within: { people: [{ pin: 'S', name: 'shown' }] } })).deep.equal({
      a: 'shown',
      within: { people: [{ pin: '[redacted]', name: 'shown' }] },
    });
  });
});
