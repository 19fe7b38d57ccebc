import { expect } from 'chai';
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../kernel/index.ts';
import type { AuthServer } from '../../support/authServer.ts';
import { callBody, initializeBody, postMcp } from '../../support/edge.ts';
import { McpClient, textOf } from '../../support/mcpClient.ts';
import { openSocket, openStream } from '../../support/rawHttp.ts';
import { post, statelessCall } from '../../support/stateless.ts';
import { startTokenIssuer } from '../../support/tokenIssuer.ts';
import type { TokenIssuer } from '../../support/tokenIssuer.ts';
import { until } from '../../support/until.ts';
import { bearer, callerOf, sessionOf, startTrusting } from './trustingGateway.ts';
import type { Headers } from './trustingGateway.ts';

describe('auth-exchange: tokens of trusted issuers as bearer tokens', () => {
  let issuer: TokenIssuer;
  let second: TokenIssuer;
  let auth: AuthServer;
  before(async () => {
    issuer = await startTokenIssuer();
    second = await startTokenIssuer();
    auth = await startTrusting([
      issuer.trusted(),
      second.trusted({ allowedAudiences: ['portal'], acceptedTypHeaders: ['at+jwt', ''] }),
    ]);
  });

  /** Signs a token for this gateway. */
  const sign = (claims: JsonObject = {}): Promise<string> => issuer.sign({ aud: auth.base, ...claims });
  const statusOf = async (token: string, path = '/mcp'): Promise<number> =>
    (await auth.mcp(token, { path })).status;

  it('are accepted on every path and in every revision of MCP', async () => {
    const token = await sign();
    for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25']) {
      const client = await McpClient.connect(auth.base, { revision, headers: bearer(token) });
      expect(textOf(await client.callMeta('whoami'))).include('"subject":"alice"');
    }
    expect(await callerOf(auth.base, token)).include({ subject: 'alice', issuer: issuer.url });
    const forged = `${token.slice(0, -8)}AAAAAAAA`;
    for (const [headers, status] of [
      [bearer(token), 200],
      [bearer(forged), 401],
      [{}, 401],
    ] as const) {
      expect((await openStream(`${auth.base}/sse`, { headers })).status).equal(status);
      expect((await post(auth.base, statelessCall('whoami'), headers)).status).equal(status);
    }
  });

  it('T78: need a type of acceptedTypHeaders', async () => {
    for (const typ of ['at+jwt', 'application/at+jwt'])
      expect(await statusOf(await issuer.sign({ aud: auth.base }, { typ })), typ).equal(200);
    for (const typ of ['JWT', undefined, 'oauth-id-jag+jwt', 'dpop+jwt', 'logout+jwt'])
      expect(await statusOf(await issuer.sign({ aud: auth.base }, { typ })), typ).equal(401);
    expect(await statusOf(await second.sign({}, { typ: undefined }))).equal(200);
    expect(await statusOf(await second.sign({}, { typ: 'JWT' }))).equal(401);
  });

  describe('need an audience', () => {
    it('without allowedAudiences: this gateway', async () => {
      const resource = 'https://mcp.example.com';
      const own = await startTrusting([issuer.trusted()], { config: { resourceIdentifier: resource } });
      for (const aud of [
        resource,
        own.base,
        `${own.base}/`,
        `${own.base}/mcp`,
        `${own.base}/sse`,
        ['x', resource],
      ])
        expect((await own.mcp(await issuer.sign({ aud }))).status, String(aud)).equal(200);
      for (const aud of [
        'portal',
        undefined,
        [],
        auth.base,
        `${resource}.evil`,
        `${own.base}/admin`,
        own.provider.url,
      ])
        expect((await own.mcp(await issuer.sign({ aud }))).status, String(aud)).equal(401);
    });

    it('with allowedAudiences: one of them', async () => {
      expect(await statusOf(await second.sign({ aud: 'portal' }))).equal(200);
      expect(await statusOf(await second.sign({ aud: ['x', 'portal'] }))).equal(200);
      for (const aud of [auth.base, 'Portal', undefined])
        expect(await statusOf(await second.sign({ aud }))).equal(401);
    });
  });

  it('T53: are refused like garbage, whatever is wrong with them', async () => {
    const stranger = await startTokenIssuer();
    const facts = async (token: string) => {
      const { status, headers, text } = await postMcp(auth.base, initializeBody(), bearer(token));
      const { date, ...others } = headers;
      expect(date).a('string');
      return { status, headers: others, text };
    };
    const garbage = await facts('garbage');
    expect(garbage.status).equal(401);
    expect(garbage.text).include('Token validation failed');
    for (const token of [
      await stranger.sign({ aud: auth.base }),
      await sign({ exp: 1 }),
      await sign({ aud: 'other' }),
      await sign({ sub: undefined }),
      await sign({ cnf: { jkt: 'x' } }),
      `${await sign()}A`,
      (await sign()).replace(/[^.]+$/, ''),
    ])
      expect(await facts(token)).deep.equal(garbage);
    expect(stranger.reads()).equal(0);
    expect(await statusOf(await sign())).equal(200);
  });

  it('are refused with the scheme DPoP, also with a proof', async () => {
    const token = await sign();
    const send = (headers: Headers): Promise<Response> => auth.mcp(undefined, { headers });
    expect((await send({ authorization: `DPoP ${token}` })).status).equal(401);
    expect((await send({ authorization: `Bearer ${token}` })).status).equal(200);
    expect((await send({ authorization: `DPoP ${token}`, dpop: token })).status, 'known').equal(401);
  });

  it('names the switch if the keys have a private address and may not', async () => {
    const own = await startTrusting([issuer.trusted({ allowPrivateIPJWKS: false })]);
    expect((await own.mcp(await issuer.sign({ aud: own.base }))).status).equal(503);
    const [warning] = own.gateway.log.having('keys of a trusted issuer', 'warn');
    expect(warning?.data).include({ issuer: issuer.url });
    expect(warning?.data['fix']).include('allowPrivateIPJWKS');
    expect(JSON.stringify(warning)).not.include('127.0.0.1/');
  });

  describe('the session id', () => {
    const sidOf = async (token: string, base = auth.base): Promise<string> =>
      String((await callerOf(base, token)).claims?.['sid']);

    it('begins with ext-, and cannot be computed from the token', async () => {
      const aud = [auth.base, 'http://localhost'];
      const other = await startTrusting([issuer.trusted({ allowedAudiences: aud })]);
      const token = await sign({ aud, azp: 'cli', sid: 'provider-session' });
      const sid = await sidOf(token);
      expect(sid).match(/^ext-[\w-]{22}$/);
      expect(await sidOf(token, other.base))
        .match(/^ext-/)
        .and.not.equal(sid);
      const texts = [
        token,
        ...token.split('.'),
        JSON.stringify([issuer.url, 'alice', 'cli', 'provider-session']),
      ];
      for (const encoding of ['hex', 'base64url'] as const)
        for (const text of texts) {
          const digest = createHash('sha256').update(text).digest(encoding);
          expect(digest.startsWith(sid.slice(4, 20))).equal(false);
          expect(text).not.include(sid.slice(4));
        }
    });

    it('stays for a renewed token, and differs by person, client, issuer and session', async () => {
      const claims = { azp: 'cli', sid: 'one' };
      const sid = await sidOf(await sign(claims));
      const renewed = await sign({
        ...claims,
        exp: Math.floor(Date.now() / 1_000) + 7_200,
        jti: 'two',
        scope: 'x',
      });
      expect(await sidOf(renewed)).equal(sid);
      expect(await sidOf(await sign({ ...claims, azp: undefined, client_id: 'cli' }))).equal(sid);
      const others = [
        await sign({ ...claims, sub: 'bob' }),
        await sign({ ...claims, azp: 'other' }),
        await sign({ ...claims, azp: undefined }),
        await sign({ ...claims, sid: 'two' }),
        await sign({ ...claims, sid: undefined }),
        await second.sign(claims),
      ];
      const sids = await Promise.all(others.map((token) => sidOf(token)));
      expect(new Set([sid, ...sids]).size).equal(7);
    });
  });

  it('T81, T62: keep people with one sub of two issuers apart', async () => {
    const [hers, his] = [await sign({ sub: 'pat' }), await second.sign({ sub: 'pat' })];
    expect((await callerOf(auth.base, hers)).issuer).equal(issuer.url);
    expect((await callerOf(auth.base, his)).issuer).equal(second.url);
    const session = await sessionOf(auth.base, hers);
    const listening = await openStream(`${auth.base}/mcp`, { headers: session });
    expect(listening.status).equal(200);
    const stolen = { ...session, ...bearer(his) };
    expect((await postMcp(auth.base, callBody('whoami'), stolen)).status).equal(404);
    expect((await openStream(`${auth.base}/mcp`, { headers: stolen })).status).equal(404);
    expect((await fetch(`${auth.base}/mcp`, { method: 'DELETE', headers: stolen })).status).equal(404);
    expect((await postMcp(auth.base, callBody('whoami'), session)).status).equal(200);
    const renewed = { ...session, ...bearer(await sign({ sub: 'pat', jti: 'renewed' })) };
    expect((await postMcp(auth.base, callBody('whoami'), renewed)).status, 'her renewed token').equal(200);
  });

  it('have the tools that access gives to their groups', async () => {
    const access = [
      { groups: ['ones'], toolset: ['tool:core_one'] },
      { groups: ['twos'], toolset: ['tool:core_two'] },
    ];
    const own = await startTrusting([issuer.trusted()], { settings: { access } });
    const listed = async (groups: unknown): Promise<string> => {
      const headers = bearer(await issuer.sign({ aud: own.base, groups }));
      return (await post(own.base, statelessCall('call_tool', { name: 'core_one', arguments: {} }), headers))
        .text;
    };
    expect(await listed(['ones'])).include('"text":"one"');
    expect(await listed(['other', 'ones', 'twos'])).include('"text":"one"');
    for (const groups of [['twos'], [], undefined, 'ones twos', { ones: true }, [['ones']]])
      expect(await listed(groups), JSON.stringify(groups)).not.include('"text":"one"');
  });

  it('are taken from one Authorization header of the scheme Bearer only', async () => {
    const token = await sign();
    const sent = async (...lines: readonly string[]): Promise<number> => {
      const { write, closed } = await openSocket(auth.base.replace('localhost', '127.0.0.1'));
      const body = initializeBody();
      const head = [
        ...['POST /mcp HTTP/1.1', `Host: ${new URL(auth.base).host}`, 'Content-Type: application/json'],
        ...[
          'Accept: application/json, text/event-stream',
          `Content-Length: ${body.length}`,
          'Connection: close',
        ],
      ];
      write(Buffer.from(`${[...head, ...lines].join('\r\n')}\r\n\r\n${body}`, 'latin1'));
      return Number((await closed).split(' ', 2)[1]);
    };
    for (const value of [`Bearer ${token}`, `bearer ${token}`, `BEARER   ${token}  `])
      expect(await sent(`Authorization: ${value}`)).equal(200);
    for (const value of [
      ...[
        `Bearer\t${token}`,
        `Bearer${token}`,
        token,
        `Token ${token}`,
        `Bearer "${token}"`,
        `Bearer ${token}=`,
      ],
      ...[
        `Bearer ${token}, Bearer ${token}`,
        `Bearer ${token} ${token}`,
        `Bearer ${token}.`,
        `Bearer .${token}`,
      ],
      ...[
        `Bearer ${token}\xe9`,
        `Bearer ${token.replace('.', '..')}`,
        `Bearer ${token.replaceAll('.', ' . ')}`,
      ],
      ...[`Basic ${Buffer.from(`alice:${token}`).toString('base64')}`, `Bearer ${token.toUpperCase()}`],
    ])
      expect(await sent(`Authorization: ${value}`), value.replaceAll(token, '…')).equal(401);
    expect(await sent(`Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`)).equal(400);
    expect(await sent(`Cookie: access_token=${token}`, `X-Authorization: Bearer ${token}`)).equal(401);
    expect((await auth.mcp(undefined, { path: `/mcp?access_token=${token}` })).status).equal(401);
  });

  it('T108: never come into the log', async () => {
    const good = await sign();
    const refused = await sign({ exp: 1 });
    expect([await statusOf(good), await statusOf(refused)]).deep.equal([200, 401]);
    await until(() => auth.gateway.log.having('not signed in').length > 0, { what: 'the refusal' });
    const log = JSON.stringify(auth.gateway.log.records);
    for (const token of [good, refused])
      for (const part of token.split('.').slice(1)) expect(log).not.include(part);
  });
});
