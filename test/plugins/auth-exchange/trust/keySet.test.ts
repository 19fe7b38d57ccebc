import { expect } from 'chai';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { KeysUnavailable } from '../../../../plugins/auth-exchange/trust/keySet.ts';
import { serveWithOutages } from '../../../support/serveWithOutages.ts';
import { startTokenIssuer } from '../../../support/tokenIssuer.ts';
import { gate, until, within } from '../../../support/until.ts';
import { LONG, MINUTE, SHORT, json, keySetAt, setOf } from './keySetAt.ts';

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
});
