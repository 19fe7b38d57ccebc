import { expect } from 'chai';
import fc from 'fast-check';
import { parseChallenges, signInHint } from '../../../../plugins/auth-client/discovery/challenge.ts';
import type { Challenge } from '../../../../plugins/auth-client/discovery/challenge.ts';

const TOKEN_CHARS = Array.from("abcXYZ019-._~!#$%&'*+^`|");
const token = fc.string({ unit: fc.constantFrom(...TOKEN_CHARS), minLength: 1, maxLength: 12 });
/** What a quoted string may hold: also quotes, backslashes, commas and what looks like a challenge. */
const text = fc.string({ unit: fc.constantFrom(...Array.from('a ",\\=/:é')), maxLength: 20 });
const challenge = fc.record({
  scheme: token,
  parameters: fc.uniqueArray(fc.tuple(token, text), {
    minLength: 1,
    maxLength: 5,
    selector: ([name]) => name.toLowerCase(),
  }),
});
const space = fc.constantFrom('', ' ', '\t', '  ');

/** Name → value. */
const plain = ({ scheme, token68, parameters }: Challenge) => ({
  scheme,
  ...(token68 !== undefined && { token68 }),
  ...Object.fromEntries(parameters),
});
const read = (...lines: string[]) => parseChallenges(lines).map(plain);
const quoted = (value: string): string => `"${value.replaceAll(/["\\]/g, '\\$&')}"`;

describe('auth-client: challenges', () => {
  it('reads schemes, tokens, quoted strings with escapes, and token68', () => {
    expect(read('Bearer realm="a \\"b\\" \\\\ c", error=invalid_token , scope = "x y"')).deep.equal([
      { scheme: 'bearer', realm: 'a "b" \\ c', error: 'invalid_token', scope: 'x y' },
    ]);
    expect(read('Negotiate YII+/a==, Basic realm="x, Digest y=z"')).deep.equal([
      { scheme: 'negotiate', token68: 'YII+/a==' },
      { scheme: 'basic', realm: 'x, Digest y=z' },
    ]);
    expect(read('Bearer')).deep.equal([{ scheme: 'bearer' }]);
    expect(read(', ,Negotiate,, BEARER Resource_Metadata="https://a/b"')).deep.equal([
      { scheme: 'negotiate' },
      { scheme: 'bearer', resource_metadata: 'https://a/b' },
    ]);
  });

  it('reads several lines as well as one', () => {
    const lines = ['Basic realm="a"', 'Bearer scope="b", error="c"', 'DPoP algs="ES256"'];
    expect(read(...lines))
      .deep.equal(read(lines.join(', ')))
      .and.length(3);
  });

  it('reads values that should be quoted, and parameters without commas between them', () => {
    expect(read('Bearer resource_metadata=https://a/b?c=d, scope=x')).deep.equal([
      { scheme: 'bearer', resource_metadata: 'https://a/b?c=d', scope: 'x' },
    ]);
    expect(read('Bearer realm="a" scope="b"')).deep.equal([{ scheme: 'bearer', realm: 'a', scope: 'b' }]);
  });

  it('takes the first of parameters that are repeated', () => {
    expect(read('Bearer scope="a", SCOPE="b"')).deep.equal([{ scheme: 'bearer', scope: 'a' }]);
  });

  it('reads nothing behind a fault, so that no text becomes a parameter', () => {
    expect(read('Bearer realm="a, resource_metadata="https://evil.example/"')).deep.equal([
      { scheme: 'bearer' },
    ]);
    expect(read('Bearer realm="open, scope=x')).deep.equal([{ scheme: 'bearer' }]);
    expect(read('realm="x", Bearer scope="a"')).deep.equal([]);
    expect(read('(garbage) Bearer scope="a"', 'Bearer scope="b"')).deep.equal([
      { scheme: 'bearer', scope: 'b' },
    ]);
  });

  it('reads back every challenge that is written by the rules', () => {
    const written = fc.array(fc.tuple(challenge, space, space), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(written, fc.boolean(), (list, isOneLine) => {
        const lines = list.map(([{ scheme, parameters }, before, after]) => {
          const pairs = parameters.map(([name, value]) => `${name}${before}=${after}${quoted(value)}`);
          return `${scheme} ${pairs.join(`${before},${after}`)}`;
        });
        const expected = list.map(([{ scheme, parameters }]) => ({
          scheme: scheme.toLowerCase(),
          parameters: new Map(parameters.map(([name, value]) => [name.toLowerCase(), value])),
        }));
        expect(parseChallenges(isOneLine ? [lines.join(', ')] : lines)).deep.equal(expected);
      }),
    );
  });

  it('never throws on garbage, and gives only what the text has', () => {
    const chars = Array.from('Bearer ,="\\\t/:;a\u0000é');
    const bits = fc.constantFrom(...chars, 'Bearer ', 'scope="', '==', '\\"');
    fc.assert(
      fc.property(fc.array(fc.string({ unit: bits, maxLength: 60 }), { maxLength: 4 }), (lines) => {
        for (const { scheme, parameters } of parseChallenges(lines)) {
          expect(lines.some((line) => line.toLowerCase().includes(scheme))).equal(true);
          for (const name of parameters.keys())
            expect(lines.some((line) => line.toLowerCase().includes(name))).equal(true);
        }
      }),
    );
  });

  it('is bounded: in lines, in challenges, and in the length of a line', () => {
    expect(parseChallenges(Array<string>(1_000).fill('Basic a=b'))).length(20);
    expect(parseChallenges([Array<string>(1_000).fill('Basic a=b').join()])).length(20);
    const long = `Bearer scope="a"${' '.repeat(5_000_000)}, error="b"`;
    expect(read(long)).deep.equal([{ scheme: 'bearer', scope: 'a' }]);
    for (const open of ['Bearer a="'.repeat(800), `Bearer a="${'\\'.repeat(8_000)}`, `a${' '.repeat(8_000)}`])
      expect(parseChallenges(Array<string>(1_000).fill(open)).length).at.most(20);
  });

  it('prefers the challenge that names the resource metadata, and Bearer', () => {
    const hint = (...lines: string[]) => signInHint(parseChallenges(lines));
    expect(hint('Basic realm="a"')).equal(undefined);
    expect(hint()).equal(undefined);
    expect(hint('DPoP scope="d", Bearer scope="b", error="insufficient_scope"')).deep.equal({
      scope: 'b',
      error: 'insufficient_scope',
    });
    expect(hint('Bearer scope="b"', 'Bearer resource_metadata="https://a"')).deep.equal({
      resourceMetadata: 'https://a',
    });
    expect(hint('Bearer', 'DPoP resource_metadata="https://a"')).deep.equal({
      resourceMetadata: 'https://a',
    });
  });
});
