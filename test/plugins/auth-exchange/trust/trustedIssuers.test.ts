import { expect } from 'chai';
import { EncryptJWT, decodeProtectedHeader } from 'jose';
import { createHmac, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { JsonObject } from '../../../../kernel/index.ts';
import type { TokenUse } from '../../../../plugins/auth-exchange/trust/trustedIssuers.ts';
import { startTokenIssuer } from '../../../support/tokenIssuer.ts';
import type { TokenIssuer } from '../../../support/tokenIssuer.ts';
import { OWN, completed, encoded, rawToken, trusting } from './trust.ts';

const USES = ['id_token', 'access_token', 'jwt', 'bearer'] as const;
const JAG = 'oauth-id-jag+jwt';
const nowS = (): number => Math.floor(Date.now() / 1_000);

describe('auth-exchange: tokens of trusted issuers', () => {
  let issuer: TokenIssuer;
  let other: TokenIssuer;
  let kid: string | undefined;
  const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  before(async () => {
    issuer = await startTokenIssuer();
    other = await startTokenIssuer();
    ({ kid } = decodeProtectedHeader(await issuer.sign()));
  });

  const trust = (more: JsonObject = {}) => trusting([issuer.trusted(more)]);
  /** A good token of the issuer for each use. */
  const good = (use: TokenUse = 'access_token', claims: JsonObject = {}): Promise<string> => {
    const typ = use === 'assertion' ? JAG : use === 'id_token' ? 'JWT' : 'at+jwt';
    return issuer.sign({ aud: OWN, ...claims }, { typ });
  };
  /** Header and payload of a good token. */
  const parts = () => ({
    header: { alg: 'ES256', typ: 'at+jwt', kid },
    payload: { iss: issuer.url, sub: 'alice', aud: OWN, exp: nowS() + 600 },
  });

  it('are accepted, with what they say', async () => {
    const { accept } = trust({ allowedAudiences: [OWN] });
    const exp = nowS() + 100;
    for (const use of USES) {
      const token = await good(use, { exp, azp: 'cli', scope: 'read write', groups: ['dev'] });
      const { claims, ...facts } = await accept(token, use);
      expect(facts).deep.equal({
        issuer: issuer.url,
        subject: 'alice',
        scope: 'read write',
        clientId: 'cli',
        expiresAt: exp * 1_000,
      });
      expect(claims)
        .include({ iss: issuer.url, exp })
        .and.deep.include({ groups: ['dev'] });
    }
    expect(await accept(await good())).not.have.any.keys('scope', 'clientId');
    const { clientId } = await accept(await good('access_token', { client_id: 'portal', azp: 'cli' }));
    expect(clientId, 'RFC 9068 before OpenID Connect').equal('portal');
  });

  describe('issuer', () => {
    it('is compared exactly', async () => {
      const { accept, refusal } = trusting([{ ...issuer.trusted(), issuer: 'https://Login.example.com/a' }]);
      const of = (iss: unknown): Promise<string> => issuer.sign({ iss });
      expect(await accept(await of('https://Login.example.com/a'))).include({
        issuer: 'https://Login.example.com/a',
      });
      for (const iss of [
        ...['https://Login.example.com/a/', 'https://login.example.com/a', 'https://Login.example.com/A'],
        ...['https://Login.example.com', 'https://Login.example.com:443/a', ' https://Login.example.com/a'],
        ...['https://Login.example.com/a?', 'https://Login.example.com/%61', issuer.url, '', undefined, 5],
        ...[['https://Login.example.com/a'], { url: 'https://Login.example.com/a' }, null],
      ])
        expect(await refusal(await of(iss)), JSON.stringify(iss)).equal('issuer');
      const slash = trusting([{ ...issuer.trusted(), issuer: 'https://login.example.com/' }]);
      expect(await slash.refusal(await of('https://login.example.com'))).equal('issuer');
      expect((await slash.accept(await of('https://login.example.com/'))).subject).equal('alice');
    });

    it('says whether a token may be of one of them, before anything is verified', async () => {
      const { issuers } = trust();
      expect(issuers.names(rawToken({}, { iss: issuer.url }, other.privateKey()))).equal(true);
      expect(issuers.names(await other.sign())).equal(false);
      for (const token of ['', 'a.b.c', encoded({ iss: issuer.url })])
        expect(issuers.names(token), token).equal(false);
    });

    it('must not be missing or empty in the configuration, nor anything null but allowedScopes', () => {
      const { jwksUrl } = issuer.trusted();
      expect(() => completed([{ jwksUrl }])).throw(/issuer is required/);
      expect(() => completed([{ issuer: 'https://a.example' }])).throw(/jwksUrl is required/);
      expect(() => completed([issuer.trusted({ issuer: '' })])).throw(/issuer/);
      for (const key of [
        ...['issuer', 'jwksUrl', 'allowedAudiences', 'allowedClaims', 'subjectClaim', 'acceptedTypHeaders'],
        ...['allowPrivateIPJWKS', 'allowIdentityAssertions'],
      ])
        expect(() => completed([issuer.trusted({ [key]: null })]), key).throw(key);
      expect(completed([issuer.trusted({ allowedScopes: null })])).have.length(1);
    });
  });

  it('have their keys at jwksUrl, which need not belong to the issuer', async () => {
    const iss = 'https://nowhere.invalid';
    const { accept, refusal } = trusting([{ ...issuer.trusted(), issuer: iss }]);
    expect((await accept(await issuer.sign({ iss }))).issuer).equal(iss);
    expect(await refusal(await other.sign({ iss })), 'keys of another').equal('not-verified');
  });

  it('have their keys at a private address only if allowPrivateIPJWKS is true', async () => {
    const refused = await trust({ allowPrivateIPJWKS: false }).unavailable(await good());
    expect(refused).include({ status: 503, error: 'temporarily_unavailable' });
    expect((await trust({ allowPrivateIPJWKS: true }).accept(await good())).subject).equal('alice');
  });

  describe('T78: are refused', () => {
    type Make = (good: ReturnType<typeof parts>) => string | Promise<string>;
    const signed = (header: object, payload: object = {}): Make => {
      return (of) =>
        rawToken({ ...of.header, ...header }, { ...of.payload, ...payload }, issuer.privateKey());
    };
    const publicPem = (): string =>
      createPublicKey(issuer.privateKey()).export({ type: 'spki', format: 'pem' }).toString();
    const hmac = (alg: string, header: object, payload: object, secret: string): string => {
      const input = `${encoded({ ...header, alg })}.${encoded(payload)}`;
      const digest = createHmac(alg.replace('HS', 'sha'), secret);
      return `${input}.${digest.update(input).digest('base64url')}`;
    };
    const cases: Readonly<Record<string, readonly [Make, string]>> = {
      'of an issuer that is not trusted': [() => other.sign({ aud: OWN }), 'issuer'],
      expired: [signed({}, { exp: nowS() - 60 }), 'not-verified'],
      'without exp': [signed({}, { exp: undefined }), 'not-verified'],
      'with an exp that is a text': [signed({}, { exp: String(nowS() + 600) }), 'not-verified'],
      'with an exp of null': [signed({}, { exp: null }), 'not-verified'],
      'not valid yet': [signed({}, { nbf: nowS() + 86_400 }), 'not-verified'],
      'with an nbf that is a text': [signed({}, { nbf: '0' }), 'not-verified'],
      'issued in the future': [signed({}, { iat: nowS() + 86_400 }), 'from-the-future'],
      'with an iat that is a text': [signed({}, { iat: '0' }), 'not-verified'],
      'with alg none': [
        ({ header, payload }) => `${encoded({ ...header, alg: 'none' })}.${encoded(payload)}.`,
        'not-verified',
      ],
      'with alg none and a signature': [signed({ alg: 'none' }), 'not-verified'],
      'with alg None': [signed({ alg: 'None' }), 'not-verified'],
      'without alg': [signed({ alg: undefined }), 'not-verified'],
      'with another alg than its key': [signed({ alg: 'RS256' }), 'not-verified'],
      'with a list of algorithms': [signed({ alg: ['ES256'] }), 'not-verified'],
      'of HS256 with the public key as secret': [
        ({ header, payload }) => hmac('HS256', header, payload, publicPem()),
        'not-verified',
      ],
      'of HS512 with the public JWK as secret': [
        async ({ header, payload }) => {
          const { keys } = (await (await fetch(`${issuer.url}/keys`)).json()) as { keys: object[] };
          return hmac('HS512', header, payload, JSON.stringify(keys[0]));
        },
        'not-verified',
      ],
      'signed by another trusted issuer': [
        ({ payload }) => other.sign({ ...payload, iss: issuer.url }),
        'not-verified',
      ],
      'signed by another key under the name of a published one': [
        ({ header, payload }) => rawToken(header, payload, foreign.privateKey),
        'not-verified',
      ],
      'of a key that is not published': [signed({ kid: 'other' }), 'not-verified'],
      'with a kid that is a path': [signed({ kid: '../../dev/null' }), 'not-verified'],
      'with a kid of 20,000 characters': [signed({ kid: 'k'.repeat(20_000) }), 'not-verified'],
      'with a kid of another type': [signed({ kid: 1 }), 'not-verified'],
      'with a kid that every object has': [signed({ kid: '__proto__' }), 'not-verified'],
      'with a crit header': [signed({ crit: ['urn:example'], 'urn:example': true }), 'not-verified'],
      'with an unencoded payload': [signed({ b64: false, crit: ['b64'] }), 'not-verified'],
      'with a key in its header': [
        ({ header, payload }) => {
          const jwk = foreign.publicKey.export({ format: 'jwk' });
          return rawToken({ ...header, kid: undefined, jwk }, payload, foreign.privateKey);
        },
        'not-verified',
      ],
      'bound to a key': [signed({}, { cnf: { jkt: 'x' } }), 'bound-to-a-key'],
      'bound to a key by null': [signed({}, { cnf: null }), 'bound-to-a-key'],
      'with a changed payload': [
        ({ header, payload }) => {
          const [head, , signature] = rawToken(header, payload, issuer.privateKey()).split('.');
          return [head, encoded({ ...payload, sub: 'root' }), signature].join('.');
        },
        'not-verified',
      ],
      'with a signature of nothing': [
        ({ header, payload }) => `${encoded(header)}.${encoded(payload)}.${encoded(Buffer.alloc(64))}`,
        'not-verified',
      ],
      'in DER': [
        ({ header, payload }) => `${encoded(header)}.${encoded(payload)}.MEQCIAAAAAAA`,
        'not-verified',
      ],
      encrypted: [
        ({ payload }) =>
          new EncryptJWT(payload).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(randomBytes(32)),
        'issuer',
      ],
      empty: [() => '', 'issuer'],
      'not a JWT': [() => 'garbage', 'issuer'],
      'two parts': [({ header, payload }) => `${encoded(header)}.${encoded(payload)}`, 'issuer'],
      'four parts': [async () => `${await good()}.a`, 'issuer'],
      'JSON in place of a compact token': [({ payload }) => JSON.stringify(payload), 'issuer'],
      'a list': [({ header, payload }) => rawToken(header, [payload], issuer.privateKey()), 'issuer'],
      'a header that is not an object': [
        ({ payload }) => rawToken('5', payload, issuer.privateKey()),
        'not-verified',
      ],
      'no UTF-8': [({ header }) => `${encoded(header)}.${encoded(Buffer.from([255]))}.AA`, 'issuer'],
      'with spaces around': [async () => ` ${await good()}`, 'not-verified'],
      'deeply nested': [({ header }) => `${encoded(header)}.${encoded('['.repeat(20_000))}.AA`, 'issuer'],
      huge: [signed({}, { pad: 'x'.repeat(32_768) }), 'issuer'],
    };
    for (const [what, [make, reason]] of Object.entries(cases))
      it(what, async () => {
        const { accept, refusal } = trusting([issuer.trusted()]);
        expect(await refusal(await make(parts()))).equal(reason);
        expect((await accept(await signed({})(parts()))).subject, 'the honest one').equal('alice');
      });

    it('with keys and addresses of keys in the header, which are ignored', async () => {
      const site = await startTokenIssuer();
      const headers = { jku: `${site.url}/keys`, x5u: `${site.url}/keys` };
      const { accept, refusal } = trust();
      const forged = rawToken({ ...parts().header, ...headers }, parts().payload, site.privateKey());
      expect(await refusal(forged)).equal('not-verified');
      expect((await accept(await signed(headers)(parts()))).subject).equal('alice');
      expect(site.reads()).equal(0);
    });

    it('within the tolerance of clocks only: 5 s, and 60 s for iat', async () => {
      const { accept, refusal } = trust();
      const of = (claims: object) => signed({}, claims)(parts());
      for (const claims of [{ exp: nowS() - 2 }, { nbf: nowS() + 3 }, { iat: nowS() + 55 }])
        expect((await accept(await of(claims))).subject, JSON.stringify(claims)).equal('alice');
      for (const claims of [{ exp: nowS() - 6 }, { nbf: nowS() + 8 }, { iat: nowS() + 65 }])
        expect(await refusal(await of(claims))).match(/not-verified|future/);
    });

    it('if longer than 32,768 characters', async () => {
      const sized = async (length: number): Promise<string> => {
        const empty = (await signed({}, { pad: '' })(parts())).length;
        const pad = 'x'.repeat(Math.floor(((length - empty) * 3) / 4));
        return signed({}, { pad })(parts());
      };
      const [most, more] = [await sized(32_768), await sized(32_772)];
      expect(most.length).within(32_765, 32_768);
      expect(more.length).greaterThan(32_768);
      expect((await trust().accept(most)).subject).equal('alice');
      expect(await trust().refusal(more)).equal('issuer');
    });
  });

  it('are 503 with Retry-After while the keys cannot be read, and when the plugin ends', async () => {
    const away = await startTokenIssuer();
    const { unavailable, accept, end, refusal } = trusting([away.trusted(), other.trusted()]);
    const token = await away.sign();
    away.fail(500);
    const { status, error, headers } = await unavailable(token);
    expect({ status, error }).deep.equal({ status: 503, error: 'temporarily_unavailable' });
    expect(headers).deep.equal({ 'retry-after': '5' });
    expect((await accept(await other.sign())).subject, 'of the other issuer').equal('alice');
    expect(await refusal(await issuer.sign()), 'of a stranger').equal('issuer');
    const waits = unavailable(await other.sign({}, { kid: 'invented' }));
    end();
    expect(await waits).include({ status: 503 });
  });

  describe('of two entries with one issuer', () => {
    const pair = (first: JsonObject, second: JsonObject) =>
      trusting([issuer.trusted(first), issuer.trusted(second)]);

    it('are accepted if one accepts them, by the first that does', async () => {
      const { accept, refusal } = pair(
        { allowedClaims: { team: 'a' }, allowedScopes: ['read'] },
        { allowedClaims: { team: '?' }, subjectClaim: 'email' },
      );
      const of = (claims: JsonObject) => good('access_token', { scope: 'read write', ...claims });
      expect(await accept(await of({ team: 'a' }))).include({ subject: 'alice', scope: 'read' });
      const second = await accept(await of({ team: 'b', email: 'a@example.com' }));
      expect(second).include({ subject: 'a@example.com', scope: 'read write' });
      expect(await refusal(await of({ team: 'b' }))).equal('subject-claim');
      expect(await refusal(await of({ team: 'bb', email: 'a@example.com' }))).equal('claims');
    });

    it('may have different keys', async () => {
      const { accept, refusal } = trusting([
        issuer.trusted({ jwksUrl: `${other.url}/keys` }),
        issuer.trusted(),
      ]);
      const ofOther = await other.sign({ iss: issuer.url, sub: 'bob' });
      expect((await accept(ofOther)).subject).equal('bob');
      expect((await accept(await good())).subject).equal('alice');
      const stranger = rawToken(parts().header, parts().payload, foreign.privateKey);
      expect(await refusal(stranger)).equal('not-verified');
      const away = await startTokenIssuer();
      away.fail(500);
      const half = trusting([issuer.trusted({ jwksUrl: `${away.url}/keys` }), issuer.trusted()]);
      expect((await half.accept(await good())).subject, 'with the keys of one').equal('alice');
      expect(await half.unavailable(stranger), 'may be of the one that is away').include({ status: 503 });
    });

    it('T89: have their keys read once, and wait once', async () => {
      const one = await startTokenIssuer();
      const { accept, refusal } = trusting([
        one.trusted({ allowedAudiences: ['a'] }),
        one.trusted({ allowedAudiences: ['b'] }),
      ]);
      expect((await accept(await one.sign({ aud: 'b' }))).subject).equal('alice');
      expect(await refusal(await one.sign({ aud: 'c' }))).equal('audience');
      expect(one.reads()).equal(1);
      expect(await refusal(await one.sign({}, { kid: 'invented' }))).equal('not-verified');
      expect(one.reads(), 'after an invented name').equal(2);
    });
  });
});
