import { decodeJwt } from 'jose';
import { expect } from 'chai';
import { DownstreamTokens } from '../../../../plugins/auth-exchange/broker/downstreamTokens.ts';
import type { Subject } from '../../../../plugins/auth-exchange/broker/downstreamTokens.ts';
import { movableClock } from '../../../support/clock.ts';
import { downstreamAt, goodAnswer } from '../../../support/downstreamAt.ts';
import { AS_PORTAL, TOKEN_EXCHANGE, startExchange, typeUri } from '../../../support/exchangeGateway.ts';
import type { ExchangeGateway } from '../../../support/exchangeGateway.ts';
import { serveWithOutages } from '../../../support/serveWithOutages.ts';
import { startTokenIssuer } from '../../../support/tokenIssuer.ts';
import { until } from '../../../support/until.ts';

const MINUTE_MS = 60_000;

describe('auth-exchange: downstream tokens that are kept', () => {
  let at: ExchangeGateway;
  const exchanged = async (subject_token: string, more: Readonly<Record<string, string>> = {}) => {
    const { status, body } = await at.exchange({ subject_token, ...more });
    expect(status, JSON.stringify(body)).equal(200);
    return String(body['access_token']);
  };
  const requests = (): number => at.downstream.requests('/token');

  describe('at a gateway', () => {
    beforeEach(async () => {
      at = await startExchange();
    });

    it('come from one request for twenty exchanges at once, and serve later ones', async () => {
      const subject_token = await at.issuer.sign();
      const [first, ...others] = await Promise.all(
        Array.from({ length: 20 }, () => exchanged(subject_token)),
      );
      expect(new Set(others)).deep.equal(new Set([first]));
      expect(await exchanged(subject_token)).equal(first);
      expect(requests()).equal(1);
    });

    it('are shared by renewed tokens that say the same', async () => {
      const now = Math.floor(Date.now() / 1_000);
      const first = await exchanged(await at.issuer.sign({ groups: ['a'], jti: '1', nonce: 'n' }));
      const renewed = { groups: ['a'], jti: '2', iat: now - 5, nbf: now - 5, exp: now + 600, at_hash: 'x' };
      expect(await exchanged(await at.issuer.sign(renewed))).equal(first);
      expect(requests()).equal(1);
    });

    it('are not given to a token that says something else about the person, or is of another type', async () => {
      const tokens = await Promise.all(
        [
          { groups: ['admins', 'staff'] },
          { groups: ['staff'] },
          { groups: [] },
          {},
          { sub: 'bob' },
          { aud: ['portal', 'other'] },
          { acr: '2' },
          { auth_time: 1 },
          { email: 'alice@example.com' },
        ].map((claims) => at.issuer.sign(claims)),
      );
      for (const token of tokens) await exchanged(token);
      expect(requests()).equal(tokens.length);
      const plain = await at.issuer.sign({}, { typ: 'JWT' });
      for (const name of ['id_token', 'jwt']) await exchanged(plain, { subject_token_type: typeUri(name) });
      expect(requests()).equal(tokens.length + 2);
    });

    it('are given to no one whose token is not accepted', async () => {
      const good = await at.issuer.sign();
      await exchanged(good);
      const forged = `${good.slice(0, -6)}AAAAAA`;
      for (const subject_token of [forged, await at.issuer.sign({ exp: 1_000 })])
        expect((await at.exchange({ subject_token })).body['error']).equal('invalid_grant');
      expect(requests()).equal(1);
    });

    it('are not kept after a failure: all who waited are refused, and the next exchange asks again', async () => {
      const subject_token = await at.issuer.sign();
      at.downstream.fail(500, '/token');
      const refused = await Promise.all(Array.from({ length: 20 }, () => at.exchange({ subject_token })));
      expect(new Set(refused.map(({ status }) => status))).deep.equal(new Set([503]));
      at.downstream.resume();
      const before = requests();
      await exchanged(subject_token);
      expect(requests()).equal(before + 1);
    });

    it('reach the others when the client that was first has gone', async () => {
      const subject_token = await at.issuer.sign();
      const form = { grant_type: TOKEN_EXCHANGE, subject_token, audience: 'cluster-b' };
      const gone = new AbortController();
      at.downstream.pause('/token');
      const first = at.gateway.post(
        { ...form, subject_token_type: typeUri('access_token') },
        AS_PORTAL,
        undefined,
        gone.signal,
      );
      const left = first.then(
        () => 'answered',
        (error: unknown) => (error as Error).name,
      );
      await until(() => requests() === 1, { what: 'the exchange downstream' });
      const others = Promise.all(Array.from({ length: 5 }, () => exchanged(subject_token)));
      gone.abort();
      expect(await left).equal('AbortError');
      at.downstream.resume();
      expect(new Set(await others).size).equal(1);
      expect(requests()).equal(1);
    });
  });

  it('T81: two trusted issuers with one sub get two exchanges and two tokens', async () => {
    const other = await startTokenIssuer();
    at = await startExchange({ trustedIssuers: (issuer) => [issuer.trusted(), other.trusted()] });
    const first = await exchanged(await at.issuer.sign({ groups: ['of the first'] }));
    at.downstream.connect('a', { issuer: other.url, jwksUrl: `${other.url}/keys` });
    const second = await exchanged(await other.sign({ groups: ['of the second'] }));
    expect([first, second].map((token) => decodeJwt(token)['groups'])).deep.equal([
      ['of the first'],
      ['of the second'],
    ]);
    expect(requests()).equal(2);
  });

  it('T82: two targets with one endpoint and one connector get the tokens of their scopes', async () => {
    at = await startExchange({
      broker: (downstream) => ({
        clientAudiences: { portal: ['cluster-b', 'cluster-c'] },
        targets: {
          'cluster-b': downstream.target({ scopes: 'openid' }),
          'cluster-c': downstream.target({ scopes: 'openid groups' }),
        },
      }),
    });
    const subject_token = await at.issuer.sign();
    await exchanged(subject_token);
    await exchanged(subject_token, { audience: 'cluster-c' });
    expect(at.downstream.exchanges.map(({ scope }) => scope)).deep.equal(['openid', 'openid groups']);
  });

  describe('on their own', () => {
    let count = 0;
    let padding = '';
    let lifeS = 3_600;

    const start = async () => {
      count = 0;
      const server = await serveWithOutages((_, res) => {
        count += 1;
        const expires_in = lifeS;
        res.writeHead(200, { 'content-type': 'application/json' });
        const { access_token, ...rest } = goodAnswer(server.url, { expires_in });
        res.end(JSON.stringify({ access_token: `${String(access_token)}${padding}`, ...rest }));
      });
      const { downstream, target } = downstreamAt(server.url, {}, { maxBytes: 2_000_000 });
      const tokens = new DownstreamTokens(downstream);
      const subject = (name: string, lifeMs: number): Subject => ({
        token: 'subject',
        type: typeUri('jwt'),
        facts: {
          issuer: 'https://login.example.com',
          subject: name,
          claims: { sub: name },
          expiresAt: Date.now() + lifeMs,
        },
      });
      return { server, get: (name: string, lifeMs: number) => tokens.get(target, subject(name, lifeMs)) };
    };
    beforeEach(() => {
      padding = '';
      lifeS = 3_600;
    });

    it('last until a minute before they end', async () => {
      const clock = movableClock();
      lifeS = 600;
      const { get } = await start();
      await get('alice', 60 * MINUTE_MS);
      clock.later(9 * MINUTE_MS - 5_000);
      await get('alice', 60 * MINUTE_MS);
      expect(count).equal(1);
      clock.later(10_000);
      await get('alice', 60 * MINUTE_MS);
      expect(count).equal(2);
    });

    it('last no longer than the subject token for which they were issued', async () => {
      const clock = movableClock();
      const { get } = await start();
      await get('alice', 5 * MINUTE_MS);
      clock.later(5 * MINUTE_MS - 5_000);
      await get('alice', 60 * MINUTE_MS);
      expect(count).equal(1);
      clock.later(10_000);
      await get('alice', 60 * MINUTE_MS);
      expect(count).equal(2);
    });

    it('are not kept if they end within a minute', async () => {
      lifeS = 60;
      const { get } = await start();
      const { token } = await get('alice', 60 * MINUTE_MS);
      expect(token).a('string');
      await get('alice', 60 * MINUTE_MS);
      expect(count).equal(2);
    });

    it('are asked for by at most 200 exchanges at a time; one more is told to try again', async () => {
      const { get, server } = await start();
      server.pause();
      const running = Array.from({ length: 200 }, (_, at) => get(`person ${at}`, 60 * MINUTE_MS));
      const refused = await get('person 200', 60 * MINUTE_MS).catch((error: unknown) => error);
      expect(refused).include({ error: 'temporarily_unavailable', status: 503, reason: 'exchanges-full' });
      const joined = get('person 0', 60 * MINUTE_MS);
      server.resume();
      await Promise.all([...running, joined]);
      expect(count).equal(200);
    });

    it('have at most 16 MB; those not used for longest are dropped first', async () => {
      padding = 'x'.repeat(1_000_000);
      const { get } = await start();
      for (let at = 0; at < 20; at += 1) await get(`person ${at}`, 60 * MINUTE_MS);
      expect(count).equal(20);
      await get('person 19', 60 * MINUTE_MS);
      await get('person 6', 60 * MINUTE_MS);
      expect(count).equal(20);
      await get('person 0', 60 * MINUTE_MS);
      expect(count).equal(21);
    });
  });
});
