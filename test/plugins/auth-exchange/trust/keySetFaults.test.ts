import { expect } from 'chai';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { GuardedFetchError } from '../../../../plugins/kit/net/index.ts';
import { KeysUnavailable } from '../../../../plugins/auth-exchange/trust/keySet.ts';
import type { Handle } from '../../../support/serveWithOutages.ts';
import { startTokenIssuer } from '../../../support/tokenIssuer.ts';
import { until } from '../../../support/until.ts';
import { LONG, SHORT, json, keySetAt, setOf, siteWith } from './keySetAt.ts';

describe('auth-exchange: what an issuer publishes as its keys', () => {
  describe('makes them unavailable', () => {
    const HTML = '<!doctype html><title>Sign in</title>';
    const OCT = { kty: 'oct', k: 'c2VjcmV0', kid: 'one', alg: 'HS256' };
    const answers: Readonly<Record<string, readonly [(jwk: object) => Handle, RegExp]>> = {
      'an HTML page': [() => json(HTML, 200, { 'content-type': 'text/html' }), /JSON/],
      'status 500': [(jwk) => json(setOf(jwk), 500), /status 500/],
      'status 203': [(jwk) => json(setOf(jwk), 203), /status 203/],
      nothing: [() => json(''), /JSON/],
      null: [() => json('null'), /malformed/],
      'a list': [(jwk) => json(JSON.stringify([jwk])), /malformed/],
      'no member keys': [(jwk) => json(JSON.stringify({ key: jwk })), /malformed/],
      'keys that are not a list': [(jwk) => json(JSON.stringify({ keys: jwk })), /malformed/],
      'a key that is not an object': [(jwk) => json(setOf(jwk, 'key')), /malformed/],
      'no keys': [() => json(setOf()), /no public key for signatures/],
      'shared secrets only': [() => json(setOf(OCT)), /no public key for signatures/],
      'keys for encryption only': [
        (jwk) => json(setOf({ ...jwk, use: 'enc' })),
        /no public key for signatures/,
      ],
      '2 MiB': [(jwk) => json(setOf(jwk) + ' '.repeat(2 * 1_048_576)), /is over 1048576 bytes/],
      'a redirect': [(jwk) => json(setOf(jwk), 302, { location: '/keys' }), /redirects/],
      'a content encoding': [(jwk) => json(setOf(jwk), 200, { 'content-encoding': 'gzip' }), /encoding/],
    };
    for (const [what, [answer, reason]] of Object.entries(answers))
      it(`while the answer is ${what}`, async () => {
        const site = await siteWith(answer);
        const { verify, refusal, later, failures } = keySetAt(site);
        expect(await refusal(site.token)).instanceOf(KeysUnavailable);
        expect(failures.map(String).join()).match(reason);
        expect(site.requests('/keys')).equal(1);
        site.answer((jwk) => setOf(jwk));
        later(LONG);
        expect(await verify(site.token), 'after the issuer is mended').equal('accepted');
      });

    it('while the address is refused, and no connection is made', async () => {
      const issuer = await startTokenIssuer();
      const token = await issuer.sign();
      const { refusal, failures } = keySetAt({ ...issuer, network: { allowPrivate: false } });
      expect(await refusal(token)).instanceOf(KeysUnavailable);
      const [failure] = failures;
      expect(failure).instanceOf(GuardedFetchError).and.include({ reason: 'private-address' });
      expect(issuer.reads()).equal(0);
      expect(await keySetAt(issuer).verify(token)).equal('accepted');
    });

    it('while the issuer does not answer in time', async () => {
      const issuer = await startTokenIssuer();
      const { verify, refusal, later, failures } = keySetAt({ ...issuer, network: { timeoutMs: 50 } });
      issuer.pause();
      expect(await refusal(await issuer.sign())).instanceOf(KeysUnavailable);
      expect(failures[0]).include({ reason: 'timeout' });
      issuer.resume();
      later(LONG);
      expect(await verify(await issuer.sign())).equal('accepted');
    });
  });

  it('withdraws all, if it has none', async () => {
    const site = await siteWith((jwk) => json(setOf(jwk)));
    const { verify, refusal, later, failures } = keySetAt(site);
    await verify(site.token);
    site.answer(setOf());
    later(LONG);
    await verify(site.token);
    await until(() => failures.length === 1, { what: 'the answer without keys' });
    expect(await refusal(site.token)).instanceOf(KeysUnavailable);
    site.answer((jwk) => setOf(jwk));
    later(LONG);
    expect(await verify(site.token)).equal('accepted');
  });

  it('is tried key by key for a token that names none', async () => {
    const pairs = await Promise.all(Array.from({ length: 3 }, () => generateKeyPair('ES256')));
    const published = await Promise.all(pairs.map(({ publicKey }) => exportJWK(publicKey)));
    const site = await siteWith(() => json(setOf(...published.slice(0, 2))));
    const { verify, refusal } = keySetAt({ ...site, coolDownMs: SHORT });
    const [first, second, other] = await Promise.all(
      pairs.map(({ privateKey }) => new SignJWT({}).setProtectedHeader({ alg: 'ES256' }).sign(privateKey)),
    );
    expect(await verify(first!)).equal('accepted');
    expect(await verify(second!)).equal('accepted');
    expect((await refusal(other!)).message).equal('signature verification failed');
    site.answer(setOf(...published));
    expect(await verify(other!), 'published with the others').equal('accepted');
    const expired = new SignJWT({ exp: 1 }).setProtectedHeader({ alg: 'ES256' }).sign(pairs[0]!.privateKey);
    expect((await refusal(await expired)).message).match(/"exp" claim/);
  });

  it('gives no key whose private half is published: anyone can sign with it', async () => {
    const site = await siteWith((jwk) => json(setOf(jwk)));
    site.answer(setOf(site.privateJwk));
    expect((await keySetAt(site).refusal(site.token)).message).match(/must be public keys/);
    site.answer((jwk) => setOf(jwk));
    expect(await keySetAt(site).verify(site.token)).equal('accepted');
  });
});
