import { copyFileSync } from 'node:fs';
import { expect } from 'chai';
import type { GuardedFetchParts } from '../../../../plugins/kit/net/guardedFetch.ts';
import { completed } from '../../../../plugins/kit/oauth/exchangeTarget.ts';
import { downstreamAt, goodAnswer } from '../../../support/downstreamAt.ts';
import { startExchange } from '../../../support/exchangeGateway.ts';
import { httpsSite } from '../../../support/httpsSite.ts';
import { serveWithOutages } from '../../../support/serveWithOutages.ts';
import type { Handle, OutageServer } from '../../../support/serveWithOutages.ts';
import { tlsProxy } from '../../../support/tlsProxy.ts';

const UNAVAILABLE = { status: 503, error: 'temporarily_unavailable', retryAfter: '5' };
const UNUSABLE = { status: 502, error: 'server_error' };
const PRIVATE_TEXT =
  'token exchange endpoint: hostname resolves to private IP address (DNS rebinding protection)';

describe('auth-exchange: the way to a downstream provider', () => {
  const serving = (handle: Handle): Promise<OutageServer> => serveWithOutages(handle);
  const good = (issuer: string): string => JSON.stringify(goodAnswer(issuer));

  it('follows no redirect, because the subject token and a secret would go with it', async () => {
    const other = await serving((_, res) => res.end());
    for (const status of [301, 302, 303, 307, 308]) {
      const { url } = await serving((_, res) =>
        res.writeHead(status, { location: `${other.url}/token` }).end(),
      );
      const { refusal, detail } = downstreamAt(url);
      expect(await refusal()).include({ ...UNUSABLE, reason: 'downstream-redirect' });
      expect(detail()).include('redirect');
    }
    expect(other.requests('/token')).equal(0);
  });

  it('reads no more than a bound, and decodes nothing', async () => {
    const huge = await serving((_, res) => res.end('x'.repeat(200_000)));
    expect(await downstreamAt(huge.url).refusal()).include({ ...UNUSABLE, reason: 'downstream-too-large' });
    const hugeRefusal = await serving((_, res) => res.writeHead(400).end('x'.repeat(200_000)));
    expect(await downstreamAt(hugeRefusal.url).refusal()).include(UNUSABLE);
    const zipped = await serving((_, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end('x'));
    expect(await downstreamAt(zipped.url).refusal()).include({ ...UNUSABLE, reason: 'downstream-encoding' });
  });

  it('waits for a bounded time, for the answer and for its end', async () => {
    const silent = await serving(() => undefined);
    const halting = await serving((_, res) => res.writeHead(200, { 'content-length': '100' }).write('{'));
    for (const { url } of [silent, halting]) {
      const { refusal, detail } = downstreamAt(url, {}, { timeoutMs: 50 });
      expect(await refusal()).include({ ...UNAVAILABLE, reason: 'downstream-timeout' });
      expect(detail()).include('did not answer within 50 ms');
    }
  });

  it('says that the provider is away, and names no address to the client', async () => {
    const { url, close } = await serving((_, res) => res.end());
    await close();
    const { refusal, detail } = downstreamAt(url);
    const found = await refusal();
    expect(found).include({ ...UNAVAILABLE, reason: 'downstream-unreachable' });
    expect(found.text).not.match(/127\.0\.0\.1|cluster/);
    expect(detail()).include('ECONNREFUSED');
    const cut = await serving((_, res) => res.destroy());
    expect(await downstreamAt(cut.url).refusal()).include({
      ...UNAVAILABLE,
      reason: 'downstream-unreachable',
    });
    const lost = downstreamAt(
      'https://login.example.com',
      {},
      { resolve: () => Promise.reject(new Error('none')) },
    );
    expect(await lost.refusal()).include({ ...UNAVAILABLE, reason: 'downstream-unresolved' });
  });

  it('survives answers that are not HTTP', async () => {
    for (const line of ['HTTP/1.1 999 Odd', 'HTTP/1.1 099 Odd', 'nonsense', 'HTTP/1.1 200 \u0000']) {
      const { url } = await serving((req) => req.socket.end(`${line}\r\nContent-Length: 0\r\n\r\n`));
      expect(['temporarily_unavailable', 'server_error'], line).include(
        (await downstreamAt(url).refusal()).error,
      );
    }
  });

  it('is not taken to private addresses, by whatever name: the reason is in the answer, the fix in the log', async () => {
    const { url } = await serving((_, res) => res.end());
    const site = await httpsSite((_, res) => res.end(), 'login.example.com');
    site.names.set('login.example.com', [['10.0.0.7']]);
    const { port } = new URL(url);
    const closed: Partial<GuardedFetchParts> = {
      allowPrivate: false,
      resolve: site.resolve,
      dial: site.dial,
    };
    for (const address of [
      url,
      `http://[::1]:${port}`,
      'https://169.254.169.254',
      'https://login.example.com',
    ]) {
      const { refusal, detail } = downstreamAt(address, {}, closed);
      expect(await refusal(), address).include({
        status: 400,
        error: 'invalid_target',
        reason: 'downstream-private-address',
        text: PRIVATE_TEXT,
      });
      expect(detail()).include('allowPrivateIP');
    }
    expect(site.dialled).deep.equal([]);
  });

  it('ends where the name led when it was checked, in TLS with that name', async () => {
    const issuer = 'https://login.example.com';
    const site = await httpsSite((req, res) => {
      if (req.headers.host !== 'login.example.com') return res.destroy();
      return res.writeHead(200, { 'content-type': 'application/json' }).end(good(issuer));
    }, 'login.example.com');
    const network = { allowPrivate: false, resolve: site.resolve, dial: site.dial };
    // Its certificate is of an authority that Node.js does not know.
    const { refusal, detail } = downstreamAt(issuer, { endpoint: `${issuer}:${site.port}/token` }, network);
    expect(await refusal()).include({ ...UNAVAILABLE, reason: 'downstream-unreachable' });
    expect(detail()).match(/SELF_SIGNED|UNABLE_TO_VERIFY/);
  });

  describe('through a gateway', () => {
    it('is closed to private addresses until allowPrivateIP opens it', async () => {
      const at = await startExchange({ broker: { allowPrivateIP: false } });
      const { status, body } = await at.exchange();
      expect([status, body]).deep.equal([400, { error: 'invalid_target', error_description: PRIVATE_TEXT }]);
      expect(at.downstream.requests('/token')).equal(0);
      const [warned] = at.gateway.gateway.log.having('gave no token', 'warn');
      expect(warned?.data).include({ target: 'cluster-b', reason: 'downstream-private-address' });
      expect(warned?.data['detail']).include(
        'set aggregator.oauth.server.tokenExchangeBroker.allowPrivateIP',
      );
      await at.configureBroker({ allowPrivateIP: true });
      expect((await at.exchange()).status).equal(200);
    });

    it('by https needs an authority that Node.js knows, or that of aggregator.extraCaFile', async () => {
      let url = '';
      const proxy = await tlsProxy(() => url);
      const at = await startExchange({
        broker: (downstream) => ({
          targets: {
            'cluster-b': downstream.target({
              idpTokenEndpoint: `${proxy.origin}/token`,
              expectedIssuer: downstream.url,
            }),
          },
        }),
      });
      ({ url } = at.downstream);
      const refused = await at.exchange();
      expect([refused.status, refused.body['error']]).deep.equal([503, 'temporarily_unavailable']);
      const { gateway } = at.gateway;
      expect(gateway.log.having('gave no token').at(-1)?.data['detail']).match(
        /SELF_SIGNED|UNABLE_TO_VERIFY/,
      );
      expect(at.downstream.requests('/token')).equal(0);
      copyFileSync(proxy.certificate, gateway.directory.at('authority.pem'));
      await at.gateway.configure(({ aggregator }) => ({
        aggregator: { ...aggregator, extraCaFile: 'authority.pem' },
      }));
      const { status, body } = await at.exchange();
      expect(status, JSON.stringify(body)).equal(200);
    });

    it('brings the id and the secret in the form of RFC 6749, whatever characters they have', async () => {
      const sent: (string | undefined)[] = [];
      const server = await serving((req, res) => {
        sent.push(req.headers.authorization);
        res.writeHead(200, { 'content-type': 'application/json' }).end(good(server.url));
      });
      const at = await startExchange({
        broker: {
          targets: {
            'cluster-b': {
              idpTokenEndpoint: `${server.url}/token`,
              connectorId: 'a',
              clientId: 'id: with %+/ü',
              clientSecretFile: 'portal-secret',
            },
          },
        },
      });
      at.gateway.gateway.directory.replace('portal-secret', 's: %+/&=ü "ß\n');
      const form = { client_id: 'portal', client_secret: 's: %+/&=ü "ß' };
      const { status } = await at.exchange(form, {});
      expect(status).equal(200);
      const decoded = Buffer.from(String(sent[0]).replace('Basic ', ''), 'base64').toString();
      const [id = '', secret = '', ...rest] = decoded
        .split(':')
        .map((part) => new URLSearchParams(`x=${part}`).get('x'));
      expect([id, secret, rest]).deep.equal(['id: with %+/ü', 's: %+/&=ü "ß', []]);
    });

    it('needs a connector that the provider knows; the log names the keys to look at', async () => {
      const at = await startExchange({ target: { connectorId: 'unknown' } });
      const { status, body } = await at.exchange();
      expect([status, body['error']]).deep.equal([400, 'invalid_grant']);
      expect(at.downstream.exchanges[0]).include({ connector_id: 'unknown' });
      const [warned] = at.gateway.gateway.log.having('gave no token', 'warn');
      expect(warned?.data['detail']).include('connectorId');
    });

    it('needs a connector that trusts the issuer of the subject token', async () => {
      const at = await startExchange({ target: { connectorId: 'b' } });
      at.downstream.connect('b', { issuer: 'https://other.example.com', jwksUrl: `${at.issuer.url}/keys` });
      const { status, body } = await at.exchange();
      expect([status, body]).deep.equal([
        400,
        { error: 'invalid_grant', error_description: 'subject token invalid or rejected' },
      ]);
      const [said] = at.gateway.gateway.log.having('gave no token', 'info');
      expect(said?.data['detail']).equal('status 401 access_denied');
    });
  });

  it('derives the issuer from the endpoint', () => {
    for (const [endpoint, expectedIssuer, expected] of [
      ['https://b.example.com/token', undefined, 'https://b.example.com'],
      ['https://b.example.com/dex/token', undefined, 'https://b.example.com/dex'],
      ['https://b.example.com/dex/token/', '', 'https://b.example.com/dex'],
      ['https://b.example.com/dex//token?tenant=1', undefined, 'https://b.example.com/dex'],
      ['https://b.example.com/oauth2/tokens', undefined, 'https://b.example.com/oauth2/tokens'],
      ['https://b.example.com/token', 'https://other.example.com/', 'https://other.example.com'],
    ] as const) {
      const target = { name: 'b', endpoint, connectorId: 'a', client: { id: 'c' } };
      const given = { ...target, ...(expectedIssuer !== undefined && { expectedIssuer }) };
      expect(completed(given).expectedIssuer, endpoint).equal(expected);
    }
  });
});
