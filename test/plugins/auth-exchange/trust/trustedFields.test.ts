import { expect } from 'chai';
import { decodeProtectedHeader } from 'jose';
import type { JsonObject } from '../../../../kernel/index.ts';
import type { TokenUse } from '../../../../plugins/auth-exchange/trust/trustedIssuers.ts';
import { startTokenIssuer } from '../../../support/tokenIssuer.ts';
import type { TokenIssuer } from '../../../support/tokenIssuer.ts';
import { OWN, signAny, trusting } from './trust.ts';
import type { SignAny } from './trust.ts';

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
  let token: SignAny;
  before(async () => {
    issuer = await startTokenIssuer();
    token = await signAny(issuer);
  });

  const trust = (more: JsonObject = {}) => trusting([issuer.trusted(more)]);
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
