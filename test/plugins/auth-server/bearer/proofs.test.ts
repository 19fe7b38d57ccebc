import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { SignJWT, base64url, calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import type { JWK, JWTHeaderParameters } from 'jose';
import { Proofs } from '../../../../plugins/auth-server/bearer/proofs.ts';
import { OAuthError } from '../../../../plugins/kit/oauth/oauthError.ts';
import { SIGNATURE_ALGORITHMS } from '../../../../plugins/contracts/oauth.ts';
import type { ProofRequest } from '../../../../plugins/auth-server/bearer/proofs.ts';
import { MemoryVault } from '../../../../plugins/vault-memory/memoryVault.ts';

const TOKEN = 'access-token';
const URL_OF_MCP = 'https://svc.example/mcp';
const NOW = 1_800_000_000_000;
const LIMITS = { maxEntries: 100, maxBytes: 1e6, maxValueBytes: 1e4, sweepMs: 1e4 };
const request: ProofRequest = { method: 'POST', urls: [URL_OF_MCP], accessToken: TOKEN, now: NOW };

interface Holder {
  readonly jwk: JWK;
  readonly jkt: string;
  /** A good proof for `request`, but for what is given; a claim that is undefined is left out. */
  readonly proof: (
    claims?: Record<string, unknown>,
    header?: Partial<JWTHeaderParameters>,
  ) => Promise<string>;
}

async function holderOf(alg = 'ES256'): Promise<Holder> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  let count = 0;
  const proof: Holder['proof'] = (claims = {}, header = {}) => {
    const iat = NOW / 1000;
    const jti = `proof-${(count += 1)}`;
    const payload = { jti, htm: 'POST', htu: URL_OF_MCP, iat, ath: hash(TOKEN), ...claims };
    const sent = JSON.parse(JSON.stringify(payload)) as Record<string, unknown>;
    return new SignJWT(sent).setProtectedHeader({ typ: 'dpop+jwt', alg, jwk, ...header }).sign(privateKey);
  };
  return { jwk: await exportJWK(privateKey), jkt: await calculateJwkThumbprint(jwk), proof };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function proofsOf(requireNonce = false, vault = new MemoryVault(() => LIMITS)): Proofs {
  return new Proofs(
    () => vault,
    () => requireNonce,
  );
}

async function refusalOf(promise: Promise<unknown>): Promise<OAuthError> {
  const error = await promise.then(
    () => expect.fail('it was accepted'),
    (reason: unknown) => reason,
  );
  expect(error).instanceOf(OAuthError);
  return error as OAuthError;
}

describe('auth-server: proofs of possession (DPoP)', () => {
  let holder: Holder;
  before(async () => {
    holder = await holderOf();
  });

  it('accepts a good proof with every listed algorithm, and gives the thumbprint of its key', async () => {
    const proofs = proofsOf();
    for (const alg of SIGNATURE_ALGORITHMS) {
      const { jkt, proof } = await holderOf(alg);
      expect(await proofs.check(await proof(), { ...request, jkt })).deep.equal({ jkt });
    }
  });

  const cheats: Record<string, readonly [claims: Record<string, unknown>, reason: string]> = {
    'another method': [{ htm: 'GET' }, 'dpop-method'],
    'a method in lower case': [{ htm: 'post' }, 'dpop-method'],
    'another host': [{ htu: 'https://evil.example/mcp' }, 'dpop-url'],
    'another path': [{ htu: 'https://svc.example/sse' }, 'dpop-url'],
    'another scheme': [{ htu: 'http://svc.example/mcp' }, 'dpop-url'],
    'another port': [{ htu: 'https://svc.example:8443/mcp' }, 'dpop-url'],
    'a user in the URL': [{ htu: 'https://u@svc.example/mcp' }, 'dpop-url'],
    'an encoded slash': [{ htu: 'https://svc.example/%2Fmcp' }, 'dpop-url'],
    'a relative URL': [{ htu: '/mcp' }, 'dpop-url'],
    'a URL that is a list': [{ htu: [URL_OF_MCP] }, 'dpop-url'],
    'a time ten minutes ago': [{ iat: NOW / 1000 - 600 }, 'dpop-time'],
    'a time in ten minutes': [{ iat: NOW / 1000 + 600 }, 'dpop-time'],
    'a time that is a text': [{ iat: String(NOW / 1000) }, 'dpop-time'],
    'no time': [{ iat: undefined }, 'dpop-claim-missing'],
    'no id': [{ jti: undefined }, 'dpop-claim-missing'],
    'an empty id': [{ jti: '' }, 'dpop-malformed'],
    'no method': [{ htm: undefined }, 'dpop-claim-missing'],
    'no URL': [{ htu: undefined }, 'dpop-claim-missing'],
    'no hash of the token': [{ ath: undefined }, 'dpop-token-hash'],
    'the hash of another token': [{ ath: hash('other') }, 'dpop-token-hash'],
  };
  for (const [what, [claims, reason]] of Object.entries(cheats))
    it(`T60: refuses a proof with ${what}: 401 invalid_dpop_proof`, async () => {
      const error = await refusalOf(proofsOf().check(await holder.proof(claims), request));
      expect(error).include({ error: 'invalid_dpop_proof', status: 401, reason });
    });

  it('T60: refuses a proof that was used before, also in another process', async () => {
    const vault = new MemoryVault(() => LIMITS);
    const proof = await holder.proof();
    await proofsOf(false, vault).check(proof, request);
    const again = proofsOf(false, vault).check(proof, request);
    expect(await refusalOf(again)).include({ error: 'invalid_dpop_proof', reason: 'dpop-replayed' });
  });

  it('T60: remembers a proof until its time has passed, however early it came', async () => {
    let now = NOW;
    const vault = new MemoryVault(
      () => LIMITS,
      () => now,
    );
    const proofs = proofsOf(false, vault);
    const proof = await holder.proof({ iat: NOW / 1000 + 300 });
    await proofs.check(proof, request);
    now += 600_900;
    expect(await refusalOf(proofs.check(proof, { ...request, now }))).include({ reason: 'dpop-replayed' });
    now += 100;
    expect(await refusalOf(proofs.check(proof, { ...request, now }))).include({ reason: 'dpop-time' });
  });

  it('T60: accepts one of twenty parallel uses of a proof', async () => {
    const [proofs, proof] = [proofsOf(), await holder.proof()];
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => proofs.check(proof, request)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).length(1);
  });

  it('accepts the same id from two keys', async () => {
    const proofs = proofsOf();
    await proofs.check(await holder.proof({ jti: 'same' }), request);
    await proofs.check(await (await holderOf()).proof({ jti: 'same' }), request);
  });

  it('T60: refuses a proof by another key than the token is bound to, and does not remember it', async () => {
    const vault = new MemoryVault(() => LIMITS);
    const { jkt } = await holderOf();
    const error = await refusalOf(proofsOf(false, vault).check(await holder.proof(), { ...request, jkt }));
    expect(error).include({ error: 'invalid_dpop_proof', status: 401, reason: 'dpop-other-key' });
    expect(await vault.list('')).deep.equal([]);
  });

  it('T60: refuses a private key in the header', async () => {
    const proof = await holder.proof({}, { jwk: holder.jwk });
    expect(await refusalOf(proofsOf().check(proof, request))).include({ reason: 'dpop-key' });
  });

  it('T60: refuses a symmetric key, with its own algorithm and with another', async () => {
    const secret = base64url.encode('0123456789abcdef0123456789abcdef');
    const jwk = { kty: 'oct', k: secret };
    const signed = await new SignJWT({ jti: '1', htm: 'POST', htu: URL_OF_MCP, iat: NOW / 1000 })
      .setProtectedHeader({ typ: 'dpop+jwt', alg: 'HS256', jwk })
      .sign(base64url.decode(secret));
    expect(await refusalOf(proofsOf().check(signed, request))).include({ reason: 'dpop-algorithm' });
    const posing = await holder.proof({}, { jwk });
    expect(await refusalOf(proofsOf().check(posing, request))).include({ reason: 'dpop-key' });
  });

  it('T60: refuses alg none, a foreign signature, another typ and no key', async () => {
    const reasonOf = async (proof: string): Promise<string> =>
      (await refusalOf(proofsOf().check(proof, request))).reason;
    const [, payload = ''] = (await holder.proof()).split('.');
    const none = base64url.encode(JSON.stringify({ typ: 'dpop+jwt', alg: 'none', jwk: holder.jwk }));
    expect(await reasonOf(`${none}.${payload}.`)).equal('dpop-algorithm');
    const [header, , signature] = (await holder.proof()).split('.');
    expect(await reasonOf([header, payload, signature].join('.'))).equal('dpop-signature');
    expect(await reasonOf(await holder.proof({}, { typ: 'JWT' }))).equal('dpop-type');
    expect(await reasonOf(await holder.proof({}, { jwk: undefined as never }))).equal('dpop-malformed');
  });

  it('T60: refuses two headers, an empty one and text that is not a JWS', async () => {
    const reasonOf = async (proof: string): Promise<string> =>
      (await refusalOf(proofsOf().check(proof, request))).reason;
    expect(await reasonOf(`${await holder.proof()}, ${await holder.proof()}`)).equal('dpop-several');
    for (const text of ['', 'x', 'a.b.c', '..', 'é'.repeat(100)]) {
      expect(await reasonOf(text), text).equal('dpop-malformed');
    }
  });

  it('T60: answers 400 without a challenge at the token endpoint, where no hash is needed', async () => {
    const proofs = proofsOf();
    const { method, urls, now } = request;
    const atToken = { method, urls, now };
    await proofs.check(await holder.proof({ ath: undefined }), atToken);
    const error = await refusalOf(proofs.check(await holder.proof({ htm: 'GET' }), atToken));
    expect(error).include({ error: 'invalid_dpop_proof', status: 400 });
    expect(error.headers).deep.equal({});
  });

  it('T60: challenges with the algorithms at a resource', async () => {
    const { headers } = await refusalOf(proofsOf().check(await holder.proof({ htm: 'GET' }), request));
    expect(headers['www-authenticate']).equal(
      'DPoP error="invalid_dpop_proof", error_description="the htm of the DPoP proof must be POST", ' +
        'algs="ES256 ES384 ES512 RS256 RS384 RS512 PS256 PS384 PS512 EdDSA"',
    );
  });

  it('compares the URL after normalisation, without query and fragment', async () => {
    const proofs = proofsOf();
    for (const htu of [
      'HTTPS://SVC.Example:443/mcp',
      'https://svc.example/x/../%6dcp',
      `${URL_OF_MCP}?a=b#c`,
    ])
      await proofs.check(await holder.proof({ htu }), {
        ...request,
        urls: ['http://other', `${URL_OF_MCP}?q`],
      });
  });

  it('passes on that the vault does not answer', async () => {
    const failing = new MemoryVault(() => ({ ...LIMITS, maxEntries: 0 }));
    const proof = await holder.proof();
    const error: unknown = await proofsOf(false, failing)
      .check(proof, request)
      .catch((reason: unknown) => reason);
    expect(error).include({ code: 'STORE_FORBIDDEN' });
  });

  describe('with nonces', () => {
    it('demands one, gives it in DPoP-Nonce, and accepts it', async () => {
      const proofs = proofsOf(true);
      const error = await refusalOf(proofs.check(await holder.proof(), request));
      expect(error).include({ error: 'use_dpop_nonce', status: 401, reason: 'dpop-nonce-missing' });
      expect(error.headers['www-authenticate']).contain('error="use_dpop_nonce"');
      const nonce = error.headers['dpop-nonce'];
      expect(nonce).equal(await proofs.nonce(NOW));
      await proofs.check(await holder.proof({ nonce }), request);
    });

    it('answers 400 at the token endpoint', async () => {
      const { method, urls, now } = request;
      const error = await refusalOf(proofsOf(true).check(await holder.proof(), { method, urls, now }));
      expect(error).include({ error: 'use_dpop_nonce', status: 400 });
      expect(error.headers).have.all.keys('dpop-nonce');
    });

    it('accepts a nonce of another process, also in the slot after its own, and not later', async () => {
      const vault = new MemoryVault(() => LIMITS);
      const nonce = await proofsOf(true, vault).nonce(NOW);
      const other = proofsOf(true, vault);
      const at = async (seconds: number): Promise<unknown> => {
        const now = NOW + seconds * 1000;
        return other.check(await holder.proof({ nonce, iat: now / 1000 }), { ...request, now });
      };
      await at(0);
      await at(300);
      expect(await refusalOf(at(600))).include({ error: 'use_dpop_nonce', reason: 'dpop-nonce-unknown' });
    });

    it('gives other nonces with another vault, and asks a failing vault again', async () => {
      expect(await proofsOf().nonce(NOW)).not.equal(await proofsOf().nonce(NOW));
      let maxEntries = 0;
      const proofs = proofsOf(true, new MemoryVault(() => ({ ...LIMITS, maxEntries })));
      expect(await proofs.nonce(NOW).catch((reason: unknown) => reason)).include({ code: 'STORE_FORBIDDEN' });
      maxEntries = 1;
      expect(await proofs.nonce(NOW)).match(/^[\w-]{22}$/);
    });
  });
});
