import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonObject } from '../../../../kernel/index.ts';
import { startTokenIssuer } from '../../../support/tokenIssuer.ts';
import type { TokenIssuer } from '../../../support/tokenIssuer.ts';
import { signAny, trusting } from './trust.ts';
import type { SignAny } from './trust.ts';

describe('auth-exchange: allowedClaims of a trusted issuer', () => {
  let issuer: TokenIssuer;
  let token: SignAny;
  before(async () => {
    issuer = await startTokenIssuer();
    token = await signAny(issuer);
  });

  const trust = (more: JsonObject = {}) => trusting([issuer.trusted(more)]);
  /** Whether a token with this value of the claim `c` is accepted. */
  const isAccepted = async (pattern: string, claims: object): Promise<boolean> => {
    const { accept, refusal } = trusting([issuer.trusted({ allowedClaims: { c: pattern } })]);
    const text = token(claims);
    return accept(text).then(
      () => true,
      async () => (await refusal(text)) !== 'claims',
    );
  };

  it('absent or empty: demands no claim', async () => {
    for (const more of [{}, { allowedClaims: {} }])
      expect((await trust(more).accept(token({ c: 5 }))).subject).equal('alice');
  });

  it('T78: are texts, or patterns with * and ? for the whole value', async () => {
    const matches: readonly (readonly [string, string])[] = [
      ...[
        ['dev', 'dev'],
        ['*', ''],
        ['*', 'a/b\nc'],
        ['repo:acme/*', 'repo:acme/app/ref:main'],
        ['', ''],
      ],
      ...[
        ['?', '😀'],
        ['a?c', 'a\nc'],
        ['*@example.com', 'a@example.com'],
        ['a**b', 'ab'],
      ],
      ...[
        ['[a]', '[a]'],
        ['a\\', 'a\\'],
        ['\\*', '\\x'],
        ['a.b+c^$(|){1}', 'a.b+c^$(|){1}'],
      ],
    ] as [string, string][];
    for (const [pattern, c] of matches) expect(await isAccepted(pattern, { c }), pattern).equal(true);
    const refused: readonly (readonly [string, string])[] = [
      ...[
        ['dev', 'Dev'],
        ['dev', 'devs'],
        ['dev', ' dev'],
        ['dev', 'dev\n'],
        ['', 'a'],
        ['?', ''],
        ['?', 'ab'],
      ],
      ...[
        ['[a]', 'a'],
        ['a.c', 'abc'],
        ['\\*', '*'],
        ['a+', 'aa'],
        ['^a$', 'a'],
        ['??', '😀'],
      ],
      ...[
        ['*@example.com', 'a@example.com.evil'],
        ['repo:acme/*', 'repo:acme'],
        ['é', 'e\u0301'],
      ],
    ] as [string, string][];
    for (const [pattern, c] of refused) expect(await isAccepted(pattern, { c }), pattern).equal(false);
  });

  it('T78: refuse what is absent or no text', async () => {
    for (const pattern of ['*', 'dev', '1', 'true', 'null', '[object Object]']) {
      const texts = { toString: 'dev', length: 3, 0: 'd' };
      for (const c of [undefined, null, ['dev'], [], 1, true, texts, {}])
        expect(await isAccepted(pattern, { c }), `${pattern} ${JSON.stringify(c)}`).equal(false);
      expect(await isAccepted(pattern, { C: pattern }), 'another name').equal(false);
    }
  });

  it('must all match', async () => {
    const { accept, refusal } = trust({ allowedClaims: { team: 'a*', tier: 'gold' } });
    expect((await accept(token({ team: 'ab', tier: 'gold' }))).subject).equal('alice');
    expect(await refusal(token({ team: 'ab', tier: 'silver' }))).equal('claims');
    expect(await refusal(token({ team: 'b', tier: 'gold' }))).equal('claims');
  });

  it('may have the names of what every object has, which no token has by itself', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const claims = (value: string) => JSON.parse(`{ ${JSON.stringify(name)}: "${value}" }`) as JsonObject;
      const { accept, refusal } = trust({ allowedClaims: claims('*') });
      expect(await refusal(token({})), name).equal('claims');
      expect((await accept(token(claims('x')))).subject, name).equal('alice');
    }
  });

  it('are compared like a naive reference', async () => {
    const PIECES = ['*', '?', 'a', 'b', '/', '[', ']', '\\', '.', '😀', '^', '-'];
    const texts = fc.string({ unit: fc.constantFrom(...PIECES), maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, texts, async (pattern, c) => {
        expect(await isAccepted(pattern, { c })).equal(isMatch(Array.from(pattern), Array.from(c)));
      }),
      { numRuns: 300 },
    );
  });

  it('T88: end soon on patterns on which a matcher that goes back would not', async () => {
    const c = 'a'.repeat(20_000);
    expect(await isAccepted(`${'*a'.repeat(40)}*b`, { c })).equal(false);
    expect(await isAccepted(`${'*a'.repeat(40)}*b`, { c: `${c}b` })).equal(true);
    expect(await isAccepted(`${'*?'.repeat(200)}b`, { c })).equal(false);
    expect(await isAccepted('*'.repeat(2_000), { c })).equal(true);
  });
});

/** A glob of `*` and `?` by its definition, on characters. */
function isMatch(pattern: readonly string[], text: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return text.length === 0;
  if (first === '*') return isMatch(rest, text) || (text.length > 0 && isMatch(pattern, text.slice(1)));
  const [char, ...others] = text;
  return char !== undefined && (first === '?' || first === char) && isMatch(rest, others);
}
