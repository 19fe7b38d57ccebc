import { expect } from 'chai';
import fc from 'fast-check';
import { decodeProtectedHeader } from 'jose';
import type { JsonObject } from '../../../../kernel/index.ts';
import type { TokenUse } from '../../../../plugins/auth-exchange/trust/trustedIssuers.ts';
import { startTokenIssuer } from '../../../support/tokenIssuer.ts';
import type { TokenIssuer } from '../../../support/tokenIssuer.ts';
import { OWN, rawToken, trusting } from './trust.ts';

const JAG = 'oauth-id-jag+jwt';
const TYP: Readonly<Record<TokenUse, string>> = {
  id_token: 'JWT',
  access_token: 'at+jwt',
  jwt: 'JWT',
  bearer: 'at+jwt',
  assertion: JAG,
};
const SUBJECT_USES = ['id_token', 'access_token', 'jwt'] as const;
const ALL_USES = Object.keys(TYP) as TokenUse[];

describe('auth-exchange: the fields of a trusted issuer', () => {
  let issuer: TokenIssuer;
  let kid: string | undefined;
  before(async () => {
    issuer = await startTokenIssuer();
    ({ kid } = decodeProtectedHeader(await issuer.sign()));
  });

  const trust = (more: JsonObject = {}) => trusting([issuer.trusted(more)]);
  /** Any claims, also such that JSON alone can have. */
  const token = (claims: object, header: object = { typ: 'at+jwt' }): string => {
    const now = Math.floor(Date.now() / 1_000);
    const payload = { iss: issuer.url, sub: 'alice', aud: OWN, iat: now, exp: now + 600, ...claims };
    return rawToken({ alg: 'ES256', kid, ...header }, payload, issuer.privateKey());
  };
  const asFor = (use: TokenUse, claims: object): string => token(claims, { typ: TYP[use] });

  describe('allowedAudiences', () => {
    const OTHER = 'https://other.example';

    it('empty: any audience for subject tokens, this gateway for bearer tokens', async () => {
      const { accept, refusal } = trust({ allowedAudiences: [] });
      for (const use of SUBJECT_USES)
        for (const aud of [OTHER, [OTHER, 'x'], undefined, [], 5])
          expect((await accept(asFor(use, { aud }), use)).subject).equal('alice');
      for (const aud of [OWN, `${OWN}/mcp`, [OTHER, OWN]])
        expect((await accept(token({ aud }), 'bearer')).subject).equal('alice');
      for (const aud of [
        OTHER,
        [OTHER],
        undefined,
        [],
        null,
        '',
        5,
        [[OWN]],
        { aud: OWN },
        `${OWN}.evil`,
        '*',
      ])
        expect(await refusal(token({ aud }), 'bearer'), JSON.stringify(aud)).equal('audience');
    });

    it('set: one of them, exactly, for every use', async () => {
      const { accept, refusal } = trust({ allowedAudiences: ['portal', 'cli'] });
      for (const use of [...SUBJECT_USES, 'bearer'] as const) {
        for (const aud of ['portal', ['cli'], ['x', 'portal']])
          expect((await accept(asFor(use, { aud }), use)).subject).equal('alice');
        for (const aud of [
          OWN,
          'Portal',
          'portal/',
          'por',
          ['x'],
          [],
          undefined,
          null,
          [['portal']],
          { 0: 'portal' },
        ])
          expect(await refusal(asFor(use, { aud }), use), JSON.stringify(aud)).equal('audience');
      }
    });

    it('does not matter for identity assertions: they are for the issuer of this gateway alone', async () => {
      const { accept, refusal } = trust({ allowIdentityAssertions: true, allowedAudiences: ['portal'] });
      for (const aud of [OWN, [OWN], `${OWN}/`])
        expect((await accept(asFor('assertion', { aud }), 'assertion')).subject).equal('alice');
      for (const aud of ['portal', [OWN, 'portal'], [OWN, 5], `${OWN}/mcp`, undefined, [], 5, [5], null, {}])
        expect(await refusal(asFor('assertion', { aud }), 'assertion'), JSON.stringify(aud)).equal(
          'audience',
        );
    });
  });

  describe('allowedScopes', () => {
    const scopeWith = async (allowedScopes: readonly string[] | null | undefined, claims: object) => {
      const { accept } = trust(allowedScopes === undefined ? {} : { allowedScopes });
      return (await accept(token(claims))).scope;
    };
    const GIVEN = [
      ...[{ scope: 'read write' }, { scp: 'read write' }, { scp: ['read', 'write'] }],
      ...[
        { scope: ['read', 'write'] },
        { scope: '  read   write ' },
        { scp: ['read', 5, null, '', 'write'] },
      ],
    ];

    for (const none of [undefined, null])
      it(`${none === null ? 'null' : 'absent'}: restricts nothing`, async () => {
        for (const claims of GIVEN) expect(await scopeWith(none, claims)).equal('read write');
        expect(await scopeWith(none, {})).equal(undefined);
        expect(await scopeWith(none, { scope: '' })).equal('');
      });

    it('empty: leaves no scope', async () => {
      for (const claims of [...GIVEN, {}, { scope: 5 }]) expect(await scopeWith([], claims)).equal('');
    });

    it('set: leaves what is in both', async () => {
      for (const claims of GIVEN) {
        expect(await scopeWith(['write', 'admin'], claims)).equal('write');
        expect(await scopeWith(['read write', 'WRITE'], claims)).equal('');
      }
      expect(await scopeWith(['read'], {})).equal('');
      expect(await scopeWith(['read'], { scope: { read: true } })).equal('');
      expect(await scopeWith(['read', 'all'], { scp: ['read all'] })).equal('');
      expect(await scopeWith(['read'], { scope: 'write', scp: 'read' }), 'scope before scp').equal('');
    });
  });

  describe('allowedClaims', () => {
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
        const payload = { iss: issuer.url, sub: 'alice', exp: Math.floor(Date.now() / 1_000) + 600 };
        const text = JSON.stringify(payload).replace(/}$/, `, ${JSON.stringify(name)}: "x"}`);
        const header = { alg: 'ES256', kid, typ: 'at+jwt' };
        expect((await accept(rawToken(header, text, issuer.privateKey()))).subject, name).equal('alice');
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

  describe('subjectClaim', () => {
    it('absent: sub', async () => {
      const { accept, refusal } = trust();
      expect((await accept(token({ sub: 'bob' }))).subject).equal('bob');
      for (const sub of [undefined, null, '', 5, ['bob'], { id: 'bob' }, true, 'b'.repeat(257)])
        expect(await refusal(token({ sub })), JSON.stringify(sub)).equal('subject-claim');
      expect((await accept(token({ sub: 'b'.repeat(256) }))).subject).length(256);
    });

    it('set: that claim, and no other one', async () => {
      const { accept, refusal } = trust({ subjectClaim: 'username' });
      expect((await accept(token({ username: 'ann', sub: undefined }))).subject).equal('ann');
      expect(await refusal(token({ sub: 'bob' }))).equal('subject-claim');
      for (const claim of ['constructor', '__proto__', 'toString'])
        expect(await trust({ subjectClaim: claim }).refusal(token({})), claim).equal('subject-claim');
    });

    it('T30: email only if it is not said to be unverified', async () => {
      const { accept, refusal } = trust({ subjectClaim: 'email' });
      const email = 'ann@example.com';
      for (const email_verified of [true, undefined, 'true'])
        expect((await accept(token({ email, email_verified }))).subject).equal(email);
      for (const email_verified of [false, 'false', null, 0, 'no'])
        expect(await refusal(token({ email, email_verified }))).equal('email-not-verified');
    });

    it('T30: nor does an unverified email count in allowedClaims', async () => {
      const { accept, refusal } = trust({ allowedClaims: { email: '*@example.com' } });
      const email = 'ann@example.com';
      expect((await accept(token({ email, email_verified: true }))).subject).equal('alice');
      expect((await accept(token({ email }))).subject).equal('alice');
      expect(await refusal(token({ email, email_verified: false }))).equal('email-not-verified');
      const others = trust({ allowedClaims: { team: 'a' } });
      expect((await others.accept(token({ email, email_verified: false, team: 'a' }))).subject).equal(
        'alice',
      );
    });
  });

  describe('typ and acceptedTypHeaders', () => {
    const TYPES: readonly unknown[] = [
      ...[undefined, '', 'JWT', 'jwt', 'application/jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt'],
      ...['logout+jwt', 'dpop+jwt', JAG, 'secevent+jwt', 'id_token', 'at+jwt ', 'application/', 'x/at+jwt'],
      ...[5, null, true, ['at+jwt'], { typ: 'at+jwt' }],
    ];
    const AT = ['at+jwt', 'AT+JWT', 'application/at+jwt'];
    const PLAIN = [undefined, '', 'JWT', 'jwt', 'application/jwt'];
    /** The types that are accepted for a use. */
    const accepted = async (use: TokenUse, more: JsonObject = {}): Promise<readonly unknown[]> => {
      const { accept, refusal } = trust({ allowIdentityAssertions: true, ...more });
      const found: unknown[] = [];
      for (const typ of TYPES) {
        const text = token({}, { typ });
        if (typ === undefined) expect(decodeProtectedHeader(text)).not.have.property('typ');
        const isGood = await accept(text, use).then(
          () => true,
          () => false,
        );
        if (isGood) found.push(typ);
        else expect(await refusal(text, use)).equal('typ');
      }
      return found;
    };

    it('T78: each use takes its types only: no id token as access token, and the reverse', async () => {
      expect(await accepted('access_token')).deep.equal(AT);
      expect(await accepted('bearer')).deep.equal(AT);
      expect(await accepted('id_token')).deep.equal(PLAIN);
      expect(await accepted('jwt')).deep.equal([...PLAIN, ...AT]);
      expect(await accepted('assertion')).deep.equal([JAG]);
    });

    it('set: in either form, in any case, and empty for tokens without typ', async () => {
      for (const written of ['at+jwt', 'application/at+jwt', 'Application/AT+JWT'])
        expect(await accepted('bearer', { acceptedTypHeaders: [written] }), written).deep.equal(AT);
      expect(await accepted('bearer', { acceptedTypHeaders: [''] })).deep.equal([undefined, '']);
      expect(await accepted('access_token', { acceptedTypHeaders: ['', 'JWT'] })).include.members(PLAIN);
      expect(await accepted('access_token', { acceptedTypHeaders: ['secevent+jwt'] })).deep.equal([
        'secevent+jwt',
      ]);
      expect(await accepted('id_token', { acceptedTypHeaders: ['secevent+jwt'] })).deep.equal(PLAIN);
      expect(await accepted('assertion', { acceptedTypHeaders: ['at+jwt'] })).deep.equal([JAG]);
    });

    it('must not be empty: no token would be accepted', () => {
      expect(() => trust({ acceptedTypHeaders: [] })).throw(/acceptedTypHeaders/);
    });
  });

  it('allowIdentityAssertions: assertions are accepted only with it, and as nothing else', async () => {
    const text = token({}, { typ: JAG });
    expect((await trust({ allowIdentityAssertions: true }).accept(text, 'assertion')).subject).equal('alice');
    for (const more of [{}, { allowIdentityAssertions: false }])
      expect(await trust(more).refusal(text, 'assertion')).equal('assertions-not-allowed');
    for (const use of ALL_USES.filter((one) => one !== 'assertion'))
      expect(await trust({ allowIdentityAssertions: true }).refusal(text, use)).equal('typ');
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
