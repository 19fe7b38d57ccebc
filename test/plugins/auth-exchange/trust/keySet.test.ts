import { expect } from 'chai';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { GuardedFetchError, guardedFetch } from '../../../../kernel/net/index.ts';
import type { GuardedFetchParts } from '../../../../kernel/net/index.ts';
import { KeySet, KeysUnavailable } from '../../../../plugins/auth-exchange/trust/keySet.ts';
import { NETWORK_BOUNDS } from '../../../../plugins/auth-exchange/networkBounds.ts';
import { defer } from '../../../support/cleanup.ts';
import { serveWithOutages } from '../../../support/serveWithOutages.ts';
import type { Handle } from '../../../support/serveWithOutages.ts';
import { startTokenIssuer } from '../../../support/tokenIssuer.ts';
import { gate, until, within } from '../../../support/until.ts';

const MINUTE = 60_000;
/** No test waits for it: only the clock of the test passes it. */
const LONG = 10 * MINUTE;
const SHORT = 30;

interface Options {
  readonly url: string;
  readonly coolDownMs?: number;
  readonly network?: Partial<GuardedFetchParts>;
}

/** A key set with a clock that only the test moves. */
function keySetAt({ url, coolDownMs = LONG, network = {} }: Options) {
  let ms = 0;
  const end = new AbortController();
  defer(() => end.abort());
  const failures: unknown[] = [];
  const keys = new KeySet({
    url: `${url}/keys`,
    fetch: guardedFetch({ ...NETWORK_BOUNDS, allowPrivate: true, ...network }),
    signal: end.signal,
    failed: (error) => failures.push(error),
    coolDownMs,
    now: () => ms,
  });
  return {
    failures,
    later: (more: number) => void (ms += more),
    end: () => end.abort(),
    verify: async (token: string): Promise<'accepted'> => {
      await keys.verify(token, { algorithms: ['ES256'] });
      return 'accepted';
    },
    /** What the token is refused with. */
    refusal: async (token: string): Promise<Error> => {
      try {
        await keys.verify(token, { algorithms: ['ES256'] });
      } catch (error) {
        return error as Error;
      }
      throw new Error('the token was accepted');
    },
  };
}

/** A site with this answer at `/keys`, and a token that the published key has signed. */
async function siteWith(answer: (jwk: object) => Handle) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one' };
  let handle = answer(jwk);
  const server = await serveWithOutages((...request) => handle(...request));
  return {
    ...server,
    privateJwk: { ...(await exportJWK(privateKey)), kid: 'one' },
    token: await new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey),
    /** From now on this is the answer. */
    answer: (body: string | ((jwk: object) => string)) => {
      handle = json(typeof body === 'string' ? body : body(jwk));
    },
  };
}

function json(text: string, status = 200, headers: Readonly<Record<string, string>> = {}): Handle {
  return (_, res) => res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}
const setOf = (...keys: readonly unknown[]): string => JSON.stringify({ keys });

describe('auth-exchange: the keys of an issuer', () => {
  it('are read once for all first tokens, and kept', async () => {
    const issuer = await startTokenIssuer();
    const { verify, later } = keySetAt(issuer);
    expect(issuer.reads()).equal(0);
    const tokens = await Promise.all(Array.from({ length: 20 }, () => issuer.sign()));
    expect(await Promise.all(tokens.map(verify))).deep.equal(Array(20).fill('accepted'));
    later(5 * MINUTE - 1);
    await verify(await issuer.sign());
    expect(issuer.reads()).equal(1);
  });

  it('are read again after five minutes, while the known ones are used', async () => {
    const issuer = await startTokenIssuer();
    const { verify, refusal, later } = keySetAt(issuer);
    const former = await issuer.sign();
    await verify(former);
    issuer.rotateKeys();
    later(5 * MINUTE + LONG);
    issuer.pause();
    expect(await verify(former)).equal('accepted');
    await until(() => issuer.reads() === 2, { what: 'the second read' });
    expect(await verify(former)).equal('accepted');
    issuer.resume();
    await verify(await issuer.sign());
    expect(issuer.reads()).equal(2);
    later(LONG);
    expect((await refusal(former)).message, 'of a key that was removed').match(/no applicable key/);
  });

  it('stay usable for an hour without the issuer, and not longer', async () => {
    const issuer = await startTokenIssuer();
    const { verify, refusal, later, failures } = keySetAt({ ...issuer, coolDownMs: 1_000 });
    const token = await issuer.sign();
    await verify(token);
    issuer.fail(500, '/keys');
    later(60 * MINUTE - 1);
    expect(await verify(token)).equal('accepted');
    await until(() => failures.length === 1, { what: 'the failure of the read' });
    later(1);
    expect(await refusal(token)).instanceOf(KeysUnavailable);
    issuer.resume();
    later(1_000);
    expect(await verify(token)).equal('accepted');
    expect(failures.map(String)).deep.equal(['Error: status 500']);
  });

  it('are not read again within the cool-down after a failure, and no token waits for it', async () => {
    const issuer = await startTokenIssuer();
    const { verify, refusal, later, failures } = keySetAt({ ...issuer, coolDownMs: MINUTE });
    const token = await issuer.sign();
    issuer.fail(503, '/keys');
    const refused = await Promise.all(Array.from({ length: 20 }, () => refusal(token)));
    for (const error of refused) expect(error).instanceOf(KeysUnavailable);
    later(MINUTE - 1);
    expect(await refusal(token)).instanceOf(KeysUnavailable);
    expect(issuer.reads()).equal(1);
    issuer.resume();
    expect(await refusal(token), 'not before the cool-down').instanceOf(KeysUnavailable);
    later(1);
    expect(await verify(token)).equal('accepted');
    expect(issuer.reads()).equal(2);
    expect(failures.map(String)).deep.equal(['Error: status 503']);
  });

  describe('when a token names a key that is not known', () => {
    it('T89: makes one read per cool-down, however many invented names come', async () => {
      const issuer = await startTokenIssuer();
      const { verify, refusal, later } = keySetAt({ ...issuer, coolDownMs: SHORT });
      const honest = await issuer.sign();
      await verify(honest);
      const flood = async (): Promise<void> => {
        const invented = Array.from({ length: 50 }, (_, at) => issuer.sign({}, { kid: `invented ${at}` }));
        const refused = await Promise.all((await Promise.all(invented)).map(refusal));
        for (const { message } of refused) expect(message).match(/no applicable key/);
      };
      later(SHORT);
      await flood();
      expect(issuer.reads(), 'after the first flood').equal(2);
      await flood();
      expect(issuer.reads(), 'after a flood within the cool-down').equal(3);
      expect(await verify(honest)).equal('accepted');
      expect(issuer.reads()).equal(3);
    });

    it('refuses it after the first read of all without another one', async () => {
      const issuer = await startTokenIssuer();
      const { verify, refusal } = keySetAt(issuer);
      expect((await refusal(await issuer.sign({}, { kid: 'invented' }))).message).match(/no applicable key/);
      expect(await verify(await issuer.sign())).equal('accepted');
      expect(issuer.reads()).equal(1);
    });

    it('lets a hundred wait, and has others try again later', async () => {
      const issuer = await startTokenIssuer();
      const { verify, refusal, end } = keySetAt(issuer);
      const honest = await issuer.sign();
      await verify(honest);
      const invented = await issuer.sign({}, { kid: 'invented' });
      const all = Array.from({ length: 101 }, () => refusal(invented));
      expect(await within(Promise.race(all))).instanceOf(KeysUnavailable);
      expect(await verify(honest), 'a token with a known key').equal('accepted');
      expect(issuer.reads()).equal(1);
      end();
      for (const error of await within(Promise.all(all))) expect(error).instanceOf(KeysUnavailable);
    });

    for (const hasKid of [true, false]) {
      const named = hasKid ? 'with names' : 'without names';

      it(`accepts all tokens that come at once after a rotation, with one read: keys ${named}`, async () => {
        const issuer = await startTokenIssuer({ hasKid });
        const { verify, later } = keySetAt(issuer);
        await verify(await issuer.sign());
        later(LONG);
        issuer.rotateKeys();
        const tokens = await Promise.all(Array.from({ length: 20 }, () => issuer.sign()));
        expect(await Promise.all(tokens.map(verify))).deep.equal(Array(20).fill('accepted'));
        expect(issuer.reads()).equal(2);
      });

      it(`waits for the cool-down if the rotation directly follows a read: keys ${named}`, async () => {
        const issuer = await startTokenIssuer({ hasKid });
        const { verify, refusal } = keySetAt({ ...issuer, coolDownMs: SHORT });
        const former = await issuer.sign();
        await verify(former);
        issuer.rotateKeys();
        const tokens = await Promise.all(Array.from({ length: 20 }, () => issuer.sign()));
        expect(await Promise.all(tokens.map(verify))).deep.equal(Array(20).fill('accepted'));
        expect(issuer.reads()).equal(2);
        expect((await refusal(former)).message).match(hasKid ? /no applicable key/ : /signature/);
      });
    }

    it('waits for a read that is under way, and schedules no other one', async () => {
      const issuer = await startTokenIssuer();
      const { verify, later, end } = keySetAt(issuer);
      const former = await issuer.sign();
      await verify(former);
      issuer.rotateKeys();
      later(LONG);
      issuer.pause();
      await verify(former);
      await until(() => issuer.reads() === 2, { what: 'the second read' });
      const answer = verify(await issuer.sign());
      issuer.resume();
      expect(await within(answer)).equal('accepted');
      // What was scheduled would be rejected now, and fail the test.
      end();
    });

    it('makes another read if the one under way began before the rotation', async () => {
      const opened = gate();
      const holding = gate();
      const keys = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
      const jwks = await Promise.all(
        keys.map(async ({ publicKey }, at) => ({ ...(await exportJWK(publicKey)), kid: `key ${at}` })),
      );
      const [first, second] = await Promise.all(
        keys.map(({ privateKey }, at) =>
          new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid: `key ${at}` }).sign(privateKey),
        ),
      );
      let published = jwks[0];
      let mustHold = false;
      const server = await serveWithOutages(async (...request) => {
        const answer = json(setOf(published));
        if (mustHold) {
          holding.open();
          await opened.opened;
        }
        answer(...request);
      });
      const { verify, later } = keySetAt({ ...server, coolDownMs: SHORT });
      await verify(first!);
      later(5 * MINUTE);
      mustHold = true;
      await verify(first!);
      await holding.opened;
      mustHold = false;
      published = jwks[1];
      const answer = verify(second!);
      opened.open();
      expect(await answer).equal('accepted');
      expect(server.requests('/keys')).equal(3);
    });

    it('ends waiting with the plugin: such a token may be good', async () => {
      const issuer = await startTokenIssuer();
      const { verify, refusal, end, failures } = keySetAt(issuer);
      await verify(await issuer.sign());
      issuer.rotateKeys();
      const refused = refusal(await issuer.sign());
      end();
      expect(await within(refused)).instanceOf(KeysUnavailable);
      expect(failures).deep.equal([]);
    });
  });

  it('are not waited for when the plugin ends', async () => {
    const issuer = await startTokenIssuer();
    const { refusal, end, failures } = keySetAt(issuer);
    issuer.pause();
    const refused = refusal(await issuer.sign());
    await until(() => issuer.reads() === 1, { what: 'the read' });
    end();
    expect(await within(refused)).instanceOf(KeysUnavailable);
    expect(failures, 'it is not the fault of the issuer').deep.equal([]);
    issuer.resume();
    expect(await refusal(await issuer.sign()), 'afterwards').instanceOf(KeysUnavailable);
  });

  describe('are unavailable', () => {
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

  it('are all withdrawn by an answer without keys', async () => {
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

  it('are all tried for a token that names none', async () => {
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

  it('do not include one whose private half is published: anyone can sign with it', async () => {
    const site = await siteWith((jwk) => json(setOf(jwk)));
    site.answer(setOf(site.privateJwk));
    expect((await keySetAt(site).refusal(site.token)).message).match(/must be public keys/);
    site.answer((jwk) => setOf(jwk));
    expect(await keySetAt(site).verify(site.token)).equal('accepted');
  });
});
