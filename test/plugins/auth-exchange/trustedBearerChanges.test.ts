import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { STAGE, definePlugin } from '../../../kernel/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import type { AuthServer } from '../../support/authServer.ts';
import { defer } from '../../support/cleanup.ts';
import { movableClock } from '../../support/clock.ts';
import { callBody, postMcp } from '../../support/edge.ts';
import { moduleOf } from '../../support/gateway.ts';
import { httpsSite } from '../../support/httpsSite.ts';
import type { HttpsSite } from '../../support/httpsSite.ts';
import { openStream } from '../../support/rawHttp.ts';
import { stateless, stream } from '../../support/stateless.ts';
import { startTokenIssuer } from '../../support/tokenIssuer.ts';
import type { TokenIssuer } from '../../support/tokenIssuer.ts';
import { gate, until, within } from '../../support/until.ts';
import { bearer, sessionOf, startTrusting } from './trustingGateway.ts';
import type { Headers } from './trustingGateway.ts';

/** Lets time pass that the cool-down of keys is measured by. */
function movablePerformance(): (ms: number) => void {
  const real = performance.now.bind(performance);
  let ahead = 0;
  performance.now = () => real() + ahead;
  defer(() => (performance.now = real));
  return (ms) => void (ahead += ms);
}

/** The keys of an issuer, with a certificate that no authority has signed. */
function keysOverHttps(issuer: TokenIssuer): Promise<HttpsSite> {
  return httpsSite((_, res) => {
    void fetch(`${issuer.url}/keys`)
      .then((keys) => keys.text())
      .then((text) => res.end(text));
  });
}

describe('auth-exchange: bearer tokens of trusted issuers while something changes', () => {
  let issuer: TokenIssuer;
  let second: TokenIssuer;
  before(async () => {
    issuer = await startTokenIssuer();
    second = await startTokenIssuer();
  });

  it('are refused once they have expired, though they were accepted before', async () => {
    const clock = movableClock();
    const own = await startTrusting([issuer.trusted()]);
    const token = await issuer.sign({ aud: own.base, exp: Math.floor(Date.now() / 1_000) + 100 });
    const session = await sessionOf(own.base, token);
    expect((await postMcp(own.base, callBody('whoami'), session)).status).equal(200);
    clock.later(106_000);
    expect((await postMcp(own.base, callBody('whoami'), session)).status).equal(401);
    const renewed = await issuer.sign({ aud: own.base });
    expect((await postMcp(own.base, callBody('whoami'), { ...session, ...bearer(renewed) })).status).equal(
      200,
    );
  });

  it('are refused once their key is not published any more, though they were accepted before', async () => {
    const [clock, later] = [movableClock(), movablePerformance()];
    const compromised = await startTokenIssuer();
    const own = await startTrusting([compromised.trusted()]);
    const exp = Math.floor(Date.now() / 1_000) + 1_000_000;
    const token = await compromised.sign({ aud: own.base, exp });
    const pass = (ms: number): void => {
      clock.later(ms);
      later(ms);
    };
    expect((await own.mcp(token)).status).equal(200);
    pass(59_000);
    compromised.rotateKeys();
    const next = await compromised.sign({ aud: own.base, exp });
    expect((await own.mcp(token)).status, 'the keys are still known').equal(200);
    expect((await own.mcp(next)).status).equal(200);
    expect(compromised.reads()).equal(2);
    pass(61_000);
    expect((await own.mcp(token)).status).equal(401);
    expect((await own.mcp(next)).status).equal(200);
  });

  it('are 503 with Retry-After while the issuer is away, and accepted afterwards', async () => {
    const later = movablePerformance();
    const away = await startTokenIssuer();
    const own = await startTrusting([away.trusted(), issuer.trusted()]);
    away.fail(500);
    const token = await away.sign({ aud: own.base });
    const answer = await own.mcp(token);
    expect(answer.status).equal(503);
    expect(answer.headers.get('retry-after')).equal('5');
    expect(await answer.json()).include({ error: 'temporarily_unavailable' });
    expect((await own.mcp(await issuer.sign({ aud: own.base }))).status, 'of another issuer').equal(200);
    expect(own.gateway.log.having('keys of a trusted issuer', 'warn')).have.length(1);
    away.resume();
    later(5_000);
    expect((await own.mcp(token)).status).equal(200);
    away.fail(500);
    expect((await own.mcp(await away.sign({ aud: own.base }))).status, 'with the known keys').equal(200);
  });

  it('are refused once their audience is no longer this gateway, though they were accepted before', async () => {
    const own = await startTrusting([issuer.trusted()], {
      config: { resourceIdentifier: 'https://former.example' },
    });
    const [former, next] = [
      await issuer.sign({ aud: 'https://former.example' }),
      await issuer.sign({ aud: 'https://next.example' }),
    ];
    expect([(await own.mcp(former)).status, (await own.mcp(next)).status]).deep.equal([200, 401]);
    await own.configureServer({ resourceIdentifier: 'https://next.example' });
    expect([(await own.mcp(former)).status, (await own.mcp(next)).status]).deep.equal([401, 200]);
  });

  describe('while the configuration changes', () => {
    let own: AuthServer;
    beforeEach(async () => {
      own = await startTrusting([issuer.trusted(), second.trusted()]);
    });
    const opened = async (of: TokenIssuer) => {
      const session = await sessionOf(own.base, await of.sign({ aud: own.base }));
      const streams = [
        await openStream(`${own.base}/mcp`, { headers: session }),
        await openStream(`${own.base}/sse`, { headers: { authorization: session['authorization']! } }),
        await stream(own.base, withHeaders(stateless('subscriptions/listen', LISTEN), session)),
      ];
      expect(streams.map(({ status }) => status)).deep.equal([200, 200, 200]);
      const status = async () => (await postMcp(own.base, callBody('whoami'), session)).status;
      return { streams, status };
    };

    it('an issuer that is removed is refused at the next request, and its streams end', async () => {
      const [removed, kept] = [await opened(issuer), await opened(second)];
      expect((await own.configureServer({ trustedIssuers: [second.trusted()] })).applied).equal(true);
      expect(await removed.status()).equal(401);
      expect(await kept.status()).equal(200);
      for (const { ended } of removed.streams) await within(ended, { what: 'the end of a stream' });
    });

    it('all are refused when the last one is removed, and with the plugin', async () => {
      const { streams, status } = await opened(issuer);
      await own.configureServer({ trustedIssuers: undefined });
      expect(await status()).equal(401);
      for (const { ended } of streams) await within(ended, { what: 'the end of a stream' });
    });

    it('an issuer with an authority of extraCaFile is accepted, also before the plugin has started', async () => {
      const held = gate();
      const ended = gate();
      defer(ended.open);
      const holding = definePlugin({
        name: 'test-hold',
        api: 1,
        configSchema: { type: 'object' },
        apply: (scope) =>
          scope.tap(
            'onRequest',
            async (request) => {
              if (request.header('x-hold') === undefined) return;
              held.open();
              await ended.opened;
            },
            STAGE.identify - 1,
          ),
      });
      const site = await keysOverHttps(issuer);
      const trusted = issuer.trusted({ jwksUrl: `https://localhost:${site.port}/keys` });
      own = await startTrusting([], {
        files: { 'ca.pem': site.ca.join(''), 'hold.mjs': moduleOf(holding) },
        settings: { aggregator: { extraCaFile: 'ca.pem' } },
        plugins: { 'test-hold': { module: './hold.mjs' } },
      });
      const waiting = own.mcp(undefined, { headers: { 'x-hold': 'yes' } });
      await held.opened;
      const report = own.configureServer({ trustedIssuers: [trusted] });
      const token = await issuer.sign({ aud: own.base });
      const answer = await until(
        async () => {
          const { status } = await own.mcp(token);
          return status === 401 ? undefined : status;
        },
        { what: 'the new configuration' },
      );
      expect(answer).equal(200);
      ended.open();
      expect((await waiting).status).equal(401);
      expect((await report).applied).equal(true);
    });

    it('an issuer is accepted whose authority was added to the file of extraCaFile', async () => {
      const [first, later] = [await keysOverHttps(issuer), await keysOverHttps(second)];
      const jwksUrlOf = ({ port }: HttpsSite): string => `https://localhost:${port}/keys`;
      own = await startTrusting(
        [issuer.trusted({ jwksUrl: jwksUrlOf(first) }), second.trusted({ jwksUrl: jwksUrlOf(later) })],
        { files: { 'ca.pem': first.ca.join('') }, settings: { aggregator: { extraCaFile: 'ca.pem' } } },
      );
      expect((await own.mcp(await issuer.sign({ aud: own.base }))).status).equal(200);
      writeFileSync(own.gateway.directory.at('ca.pem'), later.ca.join(''));
      expect((await own.mcp(await second.sign({ aud: own.base }))).status).equal(200);
    });

    it('an issuer is accepted by the authority that oauth.tls names for its host, as soon as it does', async () => {
      const site = await keysOverHttps(issuer);
      own = await startTrusting([issuer.trusted({ jwksUrl: `https://localhost:${site.port}/keys` })], {
        files: { 'ca.pem': site.ca.join('') },
      });
      const token = await issuer.sign({ aud: own.base });
      expect((await own.mcp(token)).status).equal(503);
      await own.configure(({ aggregator }) => ({
        aggregator: {
          ...aggregator,
          oauth: { ...(aggregator['oauth'] as JsonObject), tls: { localhost: { ca: 'ca.pem' } } },
        },
      }));
      expect((await own.mcp(token)).status).equal(200);
    });

    it('an edit of another key changes nothing', async () => {
      const { streams, status } = await opened(issuer);
      const reads = issuer.reads();
      const edit = { toolsetPresets: { ones: { include: [{ tool: 'core_one' }] } } };
      expect((await own.configure(() => edit as never)).applied).equal(true);
      await own.configureServer({ sessionDuration: '100h' });
      expect(await status()).equal(200);
      expect(issuer.reads()).equal(reads);
      const ended = Promise.race(streams.map((one) => one.ended.then(() => 'ended')));
      expect(await Promise.race([ended, Promise.resolve('open')])).equal('open');
    });
  });
});

const LISTEN = { notifications: { toolsListChanged: true } };

function withHeaders(request: ReturnType<typeof stateless>, headers: Headers): ReturnType<typeof stateless> {
  return { ...request, headers: { ...request.headers, authorization: headers['authorization']! } };
}
