import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureContext } from 'node:tls';
import { expect } from 'chai';
import { guardedFetch } from '../../../../plugins/kit/net/guardedFetch.ts';
import type { GuardedFetch, GuardedFetchParts } from '../../../../plugins/kit/net/guardedFetch.ts';
import {
  ClientDocuments,
  DOCUMENT_BOUNDS,
  isDocumentId,
} from '../../../../plugins/auth-server/clients/clientDocuments.ts';
import { KeptDocuments } from '../../../../plugins/auth-server/clients/keptDocuments.ts';
import type { OAuthClient } from '../../../../plugins/contracts/oauth.ts';
import { OAuthError } from '../../../../plugins/kit/oauth/oauthError.ts';
import { httpsSite, PUBLIC_ADDRESS } from '../../../support/httpsSite.ts';
import type { HttpsSite } from '../../../support/httpsSite.ts';
import { captureLog } from '../../../support/log.ts';
import { gate, until, within } from '../../../support/until.ts';

interface Documents {
  readonly find: (id: string) => Promise<OAuthClient>;
}

const HOST = 'app.example';
const REDIRECTS = ['https://app.example/cb', 'http://127.0.0.1:33418/'];
const JSON_TYPE = { 'content-type': 'application/json' };

describe('auth-server: client metadata documents', () => {
  let site: HttpsSite;
  let answer: (response: ServerResponse, request: IncomingMessage) => void;
  let requests: number;
  let addresses = 0;
  let now: number;
  let headers: Record<string, string>;

  before(async () => {
    site = await httpsSite(
      (request, response) => {
        requests += 1;
        answer(response, request);
      },
      HOST,
      'two.example',
    );
  });
  beforeEach(() => {
    now = 1e12;
    requests = 0;
    headers = JSON_TYPE;
    for (const name of [HOST, 'two.example']) site.names.set(name, [[PUBLIC_ADDRESS]]);
    serve({});
  });

  const idOf = (path = 'client.json', host = HOST): string => `https://${host}:${site.port}/${path}`;
  const documentOf = (path = 'client.json', host = HOST): Record<string, unknown> => ({
    client_id: idOf(path, host),
    client_name: 'App',
    redirect_uris: REDIRECTS,
  });
  const serve = (changes: Readonly<Record<string, unknown>>): void => {
    answer = (response, { url = '', headers: { host = '' } }) => {
      const document = { ...documentOf(url.slice(1), host.split(':')[0]), ...changes };
      response.writeHead(200, headers).end(JSON.stringify(document));
    };
  };
  const documents = (more: Partial<GuardedFetchParts> = {}): Documents => {
    const { ca, resolve, dial } = site;
    const trust = () => ({ secureContext: createSecureContext({ ca: [...ca] }) });
    const fetch = guardedFetch({ ...DOCUMENT_BOUNDS, allowPrivate: false, trust, resolve, dial, ...more });
    return documentsBy(fetch);
  };
  const documentsBy = (fetch: GuardedFetch): Documents => {
    const kept = new KeptDocuments(() => undefined, captureLog());
    const all = new ClientDocuments(fetch, kept, () => now);
    // Each request comes from an address of its own.
    return { find: (id) => all.find(id, `192.0.2.${++addresses}`) };
  };
  const refusal = async (id: string, from = documents()): Promise<OAuthError> => {
    const error: unknown = await within(from.find(id)).then(
      () => expect.fail(`${id} was accepted`),
      (reason: unknown) => reason,
    );
    if (!(error instanceof OAuthError)) throw error;
    return error;
  };

  it('describe a public client', async () => {
    serve({
      scope: 'openid email',
      logo_uri: 'https://app.example/logo.png',
      grant_types: ['authorization_code', 'refresh_token'],
    });
    expect(await documents().find(idOf())).deep.equal({
      id: idOf(),
      name: 'App',
      scopes: ['openid', 'email'],
      redirectUris: REDIRECTS,
      authMethod: 'none',
      origin: 'document',
    });
    expect([isDocumentId(idOf()), isDocumentId('http://app.example/x'), isDocumentId('abc')]).deep.equal([
      true,
      false,
      false,
    ]);
  });

  it('T69: are not fetched from private addresses, in any notation', async () => {
    const before = [site.connections(), site.dialled.length];
    const refused = async (host: string): Promise<void> => {
      const error = await refusal(idOf('client.json', host));
      expect(error, host).include({
        status: 400,
        error: 'invalid_client',
        reason: 'document-private-address',
      });
      expect(error.message, host).equal('URL resolves to a private or internal address');
    };
    for (const host of [
      '127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '[::1]',
      '[::ffff:10.0.0.1]',
      '2130706433',
      '0x7f.1',
    ])
      await refused(host);
    for (const host of ['100.64.0.1', '[64:ff9b::10.0.0.1]', '[64:ff9b:1::1]', '0.0.0.0', '127.0.0.1.'])
      await refused(host);
    for (const addresses of [
      ['127.0.0.1'],
      [PUBLIC_ADDRESS, '127.0.0.1'],
      ['::1', PUBLIC_ADDRESS],
      ['64:ff9b::7f00:1'],
    ]) {
      site.names.set(HOST, [addresses]);
      await refused(HOST);
    }
    expect([site.connections(), site.dialled.length]).deep.equal(before);
    site.names.set(HOST, [[PUBLIC_ADDRESS]]);
    expect((await documents().find(idOf())).id).equal(idOf());
    site.names.set(HOST, [['127.0.0.1']]);
    expect((await documents({ allowPrivate: true }).find(idOf())).id).equal(idOf());
  });

  it('T70: are fetched from the address that was checked, when the name moves meanwhile', async () => {
    site.names.set(HOST, [[PUBLIC_ADDRESS], ['127.0.0.1']]);
    const before = site.dialled.length;
    const known = documents();
    expect((await known.find(idOf())).id).equal(idOf());
    expect((await refusal(idOf('other.json'), known)).reason).equal('document-private-address');
    expect(site.dialled.slice(before)).deep.equal([PUBLIC_ADDRESS]);
    site.names.set(HOST, [[PUBLIC_ADDRESS]]);
    expect((await known.find(idOf('third.json'))).id).equal(idOf('third.json'));
  });

  describe('T71: are refused', () => {
    const expectRefusal = async (reason: string, from = documents()): Promise<void> => {
      const error = await refusal(idOf(), from);
      expect(error).include({ status: 400, error: 'invalid_client', reason: `document-${reason}` });
    };

    it('for a redirect, another status, another media type, and what is not JSON', async () => {
      answer = (response) => response.writeHead(302, { location: '/other.json' }).end();
      await expectRefusal('redirect');
      expect(requests).equal(1);
      answer = (response) => response.writeHead(404, JSON_TYPE).end('{}');
      await expectRefusal('status');
      for (const type of [
        'text/html',
        'application/json; charset=latin1',
        'text/json',
        'application/jsonp',
        '',
      ]) {
        headers = type === '' ? {} : { 'content-type': type };
        serve({});
        await expectRefusal('media-type');
      }
      for (const text of ['', 'no json', '[]', 'null', '"x"', '{"client_id":']) {
        answer = (response) => response.writeHead(200, JSON_TYPE).end(text);
        await expectRefusal('json');
      }
      for (const type of [
        'application/json; charset=utf-8',
        'application/cimd+json',
        'Application/JSON;charset="UTF-8"',
      ]) {
        headers = { 'content-type': type };
        serve({});
        expect((await documents().find(idOf())).id).equal(idOf());
      }
    });

    it('over their bounds of size and time, at once', async () => {
      serve({ padding: 'x'.repeat(10_000_000) });
      await expectRefusal('too-large');
      serve({ padding: 'x'.repeat(60_000) });
      expect((await documents().find(idOf())).id).equal(idOf());
      const drip = (response: ServerResponse): void => {
        if (!response.destroyed) response.write(' ', () => setTimeout(drip, 5, response));
      };
      answer = (response) => drip(response.writeHead(200, JSON_TYPE));
      const late = { status: 503, error: 'temporarily_unavailable', reason: 'document-timeout' };
      expect(await refusal(idOf(), documents({ timeoutMs: 100 }))).include(late);
    });

    it('for what they say', async () => {
      const wrong: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
        ['client-id', { client_id: idOf('other.json') }],
        ['client-id', { client_id: `${idOf()}/` }],
        ['client-id', { client_id: undefined }],
        ['redirect-uris', { redirect_uris: undefined }],
        ['redirect-uris', { redirect_uris: [] }],
        ['redirect-uris', { redirect_uris: 'https://app.example/cb' }],
        ['redirect-uris', { redirect_uris: ['https://app.example/cb', 'http://app.example/cb'] }],
        ['redirect-uris', { redirect_uris: ['http://10.0.0.1/cb'] }],
        ['redirect-uris', { redirect_uris: ['cursor://x/cb'] }],
        ['redirect-uris', { redirect_uris: [7] }],
        [
          'redirect-uris',
          { redirect_uris: Array.from({ length: 101 }, (_, at) => `https://app.example/${at}`) },
        ],
        ['secret', { client_secret: 'x' }],
        ['secret', { client_secret: null }],
        ['secret', { client_secret_expires_at: 0 }],
        ['auth-method', { token_endpoint_auth_method: 'client_secret_basic' }],
        ['auth-method', { token_endpoint_auth_method: 'private_key_jwt' }],
        ['grant-types', { grant_types: ['client_credentials'] }],
        ['grant-types', { response_types: ['token'] }],
      ];
      for (const [reason, changes] of wrong) {
        serve(changes);
        await expectRefusal(reason);
      }
      serve({ token_endpoint_auth_method: 'none', response_types: ['code'] });
      expect((await documents().find(idOf())).id).equal(idOf());
    });

    it('by their URL alone, without a fetch', async () => {
      const bad = [
        ...[idOf('?a=b'), idOf('client.json?a=b'), idOf('client.json#x'), idOf(''), `https://${HOST}`],
        ...[
          idOf('client.json', `user@${HOST}`),
          idOf('a/../client.json'),
          idOf('./client.json'),
          idOf('a/%2e%2E/c'),
        ],
        ...[
          idOf('a\\b'),
          idOf('a b'),
          idOf('x'.repeat(1_024)),
          'https:///client.json',
          'https://[/client.json',
        ],
      ];
      for (const id of bad)
        expect(await refusal(id), id).include({
          status: 400,
          error: 'invalid_client',
          reason: 'document-url',
        });
      expect(requests).equal(0);
    });
  });

  it('T72: are fetched again, so that a redirect URI that was removed is refused after an hour at the latest', async () => {
    const redirectUris = async (from: Documents): Promise<readonly string[]> =>
      (await from.find(idOf())).redirectUris;
    for (const [cacheControl, seconds] of [
      [undefined, 300],
      ['public, max-age=900', 900],
      ['max-age=31536000, immutable', 3_600],
      ['max-age=0', 60],
      ['no-store', 60],
    ] as const) {
      const known = documents();
      headers = { ...JSON_TYPE, ...(cacheControl !== undefined && { 'cache-control': cacheControl }) };
      serve({});
      expect(await redirectUris(known)).deep.equal(REDIRECTS);
      serve({ redirect_uris: ['https://app.example/new'] });
      now += seconds * 1_000 - 1;
      expect(await redirectUris(known), cacheControl).deep.equal(REDIRECTS);
      now += 1;
      expect(await redirectUris(known), cacheControl).deep.equal(['https://app.example/new']);
    }
  });

  it('T72: serve for an hour if they cannot be reached again, and not if they are gone', async () => {
    const known = documents();
    await known.find(idOf());
    answer = (response) => response.destroy();
    now += 301_000;
    expect((await known.find(idOf())).redirectUris).deep.equal(REDIRECTS);
    const tried = requests;
    expect((await known.find(idOf())).redirectUris).deep.equal(REDIRECTS);
    expect(requests).equal(tried);
    now += 15_000;
    answer = (response) => response.writeHead(503).end();
    expect((await known.find(idOf())).redirectUris).deep.equal(REDIRECTS);
    expect(requests).equal(tried + 1);
    now = 1e12 + 3_600_000;
    expect((await refusal(idOf(), known)).reason).equal('document-status-5xx');
    now += 15_000;
    serve({});
    expect((await known.find(idOf())).redirectUris).deep.equal(REDIRECTS);
    answer = (response) => response.writeHead(404).end();
    now += 301_000;
    expect((await refusal(idOf(), known)).reason).equal('document-status');
  });

  it('T73: are fetched once a second for each host, after three at once', async () => {
    const known = documents();
    const ids = Array.from({ length: 20 }, (_, at) => idOf(`${at}.json`));
    const results = await Promise.all(
      ids.map((id) =>
        known.find(id).then(
          () => 'found',
          (error: unknown) => error as OAuthError,
        ),
      ),
    );
    expect(results.filter((one) => one === 'found')).length(3);
    expect(requests).equal(3);
    const limited = results.find((one) => one !== 'found');
    expect(limited).include({ status: 429, error: 'rate_limit_exceeded', reason: 'document-rate' });
    expect((limited as OAuthError).headers).deep.equal({ 'retry-after': '1' });
    expect((await known.find(idOf('x.json', 'two.example'))).id).equal(idOf('x.json', 'two.example'));
    expect((await known.find(idOf('0.json'))).id).equal(idOf('0.json'));
    now += 999;
    expect((await refusal(idOf('a.json'), known)).status).equal(429);
    now += 1;
    expect((await known.find(idOf('a.json'))).id).equal(idOf('a.json'));
    expect((await refusal(idOf('b.json'), known)).status).equal(429);
  });

  it('are fetched once for requests that come together, and refusals are kept for some seconds', async () => {
    const { opened, open } = gate();
    const reply = answer;
    answer = (response, request) => void opened.then(() => reply(response, request));
    const known = documents();
    const found = Array.from({ length: 10 }, () => known.find(idOf()));
    await until(() => requests === 1);
    open();
    expect(new Set((await Promise.all(found)).map(({ id }) => id)).size).equal(1);
    expect(requests).equal(1);
    serve({ client_id: 'x' });
    for (let at = 0; at < 10; at += 1) await refusal(idOf('bad.json'), known);
    expect(requests).equal(2);
    serve({});
    now += 15_000;
    expect((await known.find(idOf('bad.json'))).id).equal(idOf('bad.json'));
  });

  it('are fetched from 50 hosts at the same time at most', async () => {
    const stuck = gate();
    const known = documentsBy(() => stuck.opened.then(() => new Response('')));
    const found = Array.from({ length: 60 }, (_, at) => refusal(idOf('c.json', `h${at}.example`), known));
    stuck.open();
    const statuses = (await Promise.all(found)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).length(10);
  });

  it('T74: give one line of text as the name, and no image', async () => {
    serve({
      client_name: ' <b>Evil</b>\n\u202e\u001b[31mapp\u0000',
      logo_uri: 'https://app.example/logo',
      client_uri: 'x',
    });
    const { name, ...rest } = await documents().find(idOf());
    expect(name).equal('<b>Evil</b> app');
    expect(Object.keys(rest)).have.members(['id', 'redirectUris', 'authMethod', 'origin']);
    serve({ client_name: 'x'.repeat(10_000) });
    expect((await documents().find(idOf())).name).length(100);
    serve({ client_name: { evil: true } });
    expect(await documents().find(idOf())).not.have.property('name');
  });
});
