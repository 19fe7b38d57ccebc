import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { REDIRECT, settingsFor, startAuthServer, tokensOf } from '../../support/authServer.ts';
import type { AuthServer, TokenAnswer } from '../../support/authServer.ts';
import { movableClock } from '../../support/clock.ts';
import type { MovableClock } from '../../support/clock.ts';
import { httpsSite } from '../../support/httpsSite.ts';
import type { HttpsSite } from '../../support/httpsSite.ts';
import { gate, until } from '../../support/until.ts';

/** Longer than a document is fresh without saying so. */
const LATER_MS = 301_000;
/** Longer than one serves that cannot be read again. */
const HOUR_MS = 3_600_000;

describe('auth-server: clients that have a metadata document', () => {
  let auth: AuthServer;
  let site: HttpsSite;
  let clock: MovableClock;
  let answer: (response: ServerResponse, path: string) => void;
  let asked: string[];
  let count = 0;

  before(async () => {
    clock = movableClock();
    site = await httpsSite(({ url = '' }, response) => {
      asked.push(url);
      answer(response, url);
    });
    auth = await startAuthServer({
      config: { allowPrivateIPClientMetadata: true, trustedProxyCIDRs: ['127.0.0.0/8', '::1/128'] },
      settings: { aggregator: { extraCaFile: 'ca.pem' } },
      files: { 'ca.pem': site.ca.join('') },
    });
  });
  // Other files may run in this process.
  after(() => clock.end());
  beforeEach(() => {
    // The rate of the host begins anew.
    clock.later(10_000);
    asked = [];
    answer = serve;
  });

  const serve = (response: ServerResponse, path: string, redirect_uris = [REDIRECT]): void => {
    const client_id = `https://localhost:${site.port}${path}`;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ client_id, redirect_uris }));
  };
  const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end();
  /** The id of a client that nothing is known about. */
  const newId = (): string => `https://localhost:${site.port}/${++count}.json`;
  /** @param address default: another one each time */
  const authorize = async (client_id: string, address = `192.0.2.${++count}`): Promise<TokenAnswer> => {
    const forwarded = { 'x-forwarded-for': address };
    const page = await auth.open(auth.authorizeUrl({ client_id }), undefined, forwarded);
    const { status: code, headers, text } = page;
    const body = code === 302 ? {} : (JSON.parse(text) as TokenAnswer['body']);
    return { status: code, headers, body };
  };
  const factsOf = ({ status: code, headers, body }: TokenAnswer): unknown => [
    code,
    body['error'],
    headers.get('retry-after'),
  ];

  it('are told to come again while their document cannot be read, and refused only if it is wrong or gone', async () => {
    const away: readonly (readonly [string, typeof answer])[] = [
      ['document-unreachable', (response) => response.destroy()],
      ['document-status-5xx', status(503)],
      ['document-status-other', status(403)],
      ['document-status-other', status(429)],
    ];
    for (const [reason, how] of away) {
      clock.later(1_000);
      answer = how;
      const id = newId();
      const expected = [503, 'temporarily_unavailable', '15'];
      expect(factsOf(await authorize(id)), reason).deep.equal(expected);
      expect(auth.lastReason).equal(reason);
      expect(factsOf(await auth.redeem('a code', { client_id: id })), reason).deep.equal(expected);
    }
    expect(asked).length(away.length);
    for (const [reason, how] of [
      ['document-status', status(404)],
      ['document-status', status(410)],
      ['document-media-type', status(200)],
    ] as const) {
      clock.later(1_000);
      answer = how;
      const id = newId();
      expect(factsOf(await authorize(id)), reason).deep.equal([400, 'invalid_client', null]);
      expect(factsOf(await auth.redeem('a code', { client_id: id })), reason).deep.equal([
        401,
        'invalid_client',
        null,
      ]);
      expect(auth.lastReason).equal(reason);
    }
  });

  it('refresh and sign out while their document is gone, without a fetch', async () => {
    const client_id = newId();
    const { access, refresh } = tokensOf(await auth.redeem(await auth.code({ client_id }), { client_id }));
    clock.later(LATER_MS);
    asked = [];
    answer = status(404);
    const next = tokensOf(await auth.refresh(refresh, { client_id }));
    expect((await auth.mcp(next.access)).status).equal(200);
    const secret = await auth.refresh(next.refresh, { client_id, client_secret: 'x' });
    expect(factsOf(secret)).deep.equal([401, 'invalid_client', null]);
    const revoked = await auth.post({ client_id: newId(), token: next.refresh }, {}, '/oauth/revoke');
    expect(revoked.status).equal(200);
    expect((await auth.mcp(next.access)).status).equal(200);
    for (const changes of [{ client_id }, {}]) {
      const token = changes.client_id === undefined ? next.refresh : next.access;
      expect((await auth.post({ ...changes, token }, {}, '/oauth/revoke')).status).equal(200);
    }
    expect((await auth.mcp(access)).status).equal(401);
    expect(factsOf(await auth.refresh(next.refresh, { client_id }))).deep.equal([400, 'invalid_grant', null]);
    const malformed = await auth.refresh(next.refresh, { client_id: `https://${'x'.repeat(2_000)}` });
    expect(factsOf(malformed)).deep.equal([401, 'invalid_client', null]);
    expect(asked).deep.equal([]);
  });

  it('refresh no longer when documents are switched off', async () => {
    const client_id = newId();
    const code = await auth.code({ client_id });
    const { refresh } = tokensOf(await auth.redeem(code, { client_id }));
    await auth.configureServer({ enableCIMD: false });
    expect(factsOf(await auth.refresh(refresh, { client_id }))).deep.equal([401, 'invalid_client', null]);
    await auth.configureServer({ enableCIMD: true });
    tokensOf(await auth.refresh(refresh, { client_id }));
  });

  it('are fetched for an address three at a time, and those that were read before beside them', async () => {
    const known = newId();
    expect((await authorize(known)).status).equal(302);
    // Too long ago to serve without a fetch.
    clock.later(HOUR_MS);
    const stuck = gate();
    const slow = Array.from({ length: 3 }, newId);
    answer = (response, path) => {
      if (slow.some((id) => id.endsWith(path))) void stuck.opened.then(() => serve(response, path));
      else serve(response, path);
    };
    const first = slow.map((id, at) => authorize(id, `2001:db8:1:2::${at}`));
    await until(() => asked.length === 4);
    clock.later(10_000);
    const full = await authorize(newId(), '2001:db8:1:2:ffff::1');
    expect(factsOf(full)).deep.equal([503, 'temporarily_unavailable', '1']);
    expect(auth.lastReason).equal('document-fetches-of-address');
    expect((await authorize(newId(), '2001:db8:1:3::1')).status).equal(302);
    expect((await authorize(known, '2001:db8:1:2::1')).status).equal(302);
    stuck.open();
    expect((await Promise.all(first)).map((one) => one.status)).deep.equal([302, 302, 302]);
    expect((await authorize(newId(), '2001:db8:1:2::1')).status).equal(302);
  });

  it('are fetched though strangers have used up the rate of their host, if they were read before', async () => {
    const known = newId();
    expect((await authorize(known)).status).equal(302);
    clock.later(HOUR_MS);
    const others = await Promise.all(Array.from({ length: 4 }, () => authorize(newId())));
    expect(others.map((one) => one.status).sort()).deep.equal([302, 302, 302, 429]);
    expect((await authorize(known)).status).equal(302);
  });

  /** The plugin begins anew, over the same vault. */
  const restart = async (): Promise<void> => {
    const { oauth } = settingsFor(auth.base, auth.provider);
    const found = auth.gateway.log.having('identity provider found').length;
    await auth.configureServer({ idp: { ...oauth.server.idp, connectorId: `c${++count}` } });
    await until(() => auth.gateway.log.having('identity provider found').length > found);
  };

  it('are in the vault too: after a restart they are neither fetched nor missed within the hour', async () => {
    const client_id = newId();
    expect((await authorize(client_id)).status).equal(302);
    answer = status(503);
    await restart();
    expect((await authorize(client_id)).status).equal(302);
    expect(asked).length(1);
    clock.later(LATER_MS);
    await restart();
    expect((await authorize(client_id)).status).equal(302);
    expect(asked).length(2);
    clock.later(HOUR_MS - LATER_MS);
    await restart();
    expect(factsOf(await authorize(client_id))).deep.equal([503, 'temporarily_unavailable', '15']);
  });

  it('leave the vault when they are gone', async () => {
    const client_id = newId();
    expect((await authorize(client_id)).status).equal(302);
    clock.later(LATER_MS);
    answer = status(404);
    expect((await authorize(client_id)).status).equal(400);
    await restart();
    answer = status(503);
    expect((await authorize(client_id)).status).equal(503);
  });

  it('have a place in the vault only up to 4 KiB', async () => {
    const redirect_uris = [REDIRECT, `${REDIRECT}/${'x'.repeat(4_096)}`];
    answer = (response, path) => serve(response, path, redirect_uris);
    const client_id = newId();
    expect((await authorize(client_id)).status).equal(302);
    answer = serve;
    await restart();
    expect((await authorize(client_id)).status).equal(302);
    expect(asked).length(2);
  });

  it('are fetched while the vault is away', async () => {
    const { vault } = auth;
    const away = () => Promise.reject(new Error('away'));
    const former = { get: vault.get.bind(vault), set: vault.set.bind(vault) };
    const isDocument = (key: string): boolean => key.startsWith('oauth-document:');
    vault.get = (key) => (isDocument(key) ? away() : former.get(key));
    vault.set = (key, ...rest) => (isDocument(key) ? away() : former.set(key, ...rest));
    const client_id = newId();
    expect((await authorize(client_id)).status).equal(302);
    expect((await authorize(client_id)).status).equal(302);
    expect(asked).length(1);
    Object.assign(vault, former);
  });
});
