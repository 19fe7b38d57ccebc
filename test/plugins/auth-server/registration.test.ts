import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/index.ts';
import { REDIRECT, startAuthServer, tokensOf } from '../../support/authServer.ts';
import type { AuthServer } from '../../support/authServer.ts';
import { newBrowser } from '../../support/browser.ts';

const TOKEN = 'registration-token-of-the-operator';
const LOOPBACK = { client_name: 'Loopback', redirect_uris: [REDIRECT] };
const PUBLIC = { token_endpoint_auth_method: 'none' };

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

describe('auth-server: clients of a running gateway', () => {
  let auth: AuthServer;
  before(async () => {
    auth = await startAuthServer({
      config: { registrationToken: TOKEN, trustedPublicRegistrationSchemes: ['cursor'] },
    });
  });

  const register = async (body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> => {
    const answer = await fetch(`${auth.base}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as JsonObject };
  };
  const authorize = async (changes: Readonly<Record<string, string>>): Promise<unknown> => {
    const answer = await fetch(auth.authorizeUrl(changes), { redirect: 'manual' });
    return answer.status === 302 ? 302 : [answer.status, await answer.json()];
  };

  it('advertises that clients can register, and metadata documents', async () => {
    const answer = await fetch(`${auth.base}/.well-known/oauth-authorization-server`);
    expect(await answer.json()).include({
      registration_endpoint: `${auth.base}/oauth/register`,
      client_id_metadata_document_supported: true,
    });
  });

  it('signs a person in with a client that has just registered, with and without a secret', async () => {
    const authorization = `Bearer ${TOKEN}`;
    for (const [metadata, headers] of [
      [{ ...LOOPBACK, ...PUBLIC }, {}],
      [LOOPBACK, { authorization }],
    ] as const) {
      const { status, headers: answered, body } = await register(metadata, headers);
      expect(status, JSON.stringify(body)).equal(201);
      expect(answered.get('cache-control')).equal('no-store');
      const id = String(body['client_id']);
      const code = await auth.code({ client_id: id });
      const secret = body['client_secret'] as string | undefined;
      const stolen = await auth.redeem(code, { client_id: id, client_secret: `${secret ?? ''}x` });
      expect([stolen.status, stolen.body['error']]).deep.equal([401, 'invalid_client']);
      const { access } = tokensOf(await auth.redeem(code, { client_id: id, client_secret: secret }));
      expect((await auth.mcp(access)).status).equal(200);
    }
  });

  it('T5, T66, T67: refuses a registration that no gate admits', async () => {
    for (const redirect_uris of [['https://evil.example/cb'], ['cursor://x/cb', 'https://evil.example/cb']]) {
      const { status, headers, body } = await register({ ...PUBLIC, redirect_uris });
      expect([status, body['error']]).deep.equal([401, 'invalid_token']);
      expect(headers.get('www-authenticate')).equal('Bearer');
      expect(headers.get('cache-control')).equal('no-store');
    }
    const script = await register(
      { redirect_uris: ['javascript:alert(1)'] },
      { authorization: `Bearer ${TOKEN}` },
    );
    expect([script.status, script.body]).deep.equal([
      400,
      {
        error: 'invalid_redirect_uri',
        error_description: "redirect_uri: scheme 'javascript' is blocked for security reasons",
      },
    ]);
    expect((await register({ ...PUBLIC, redirect_uris: ['cursor://x/cb'] })).status).equal(201);
  });

  it('refuses a body of another type, or over 64 KiB', async () => {
    const text = await register(LOOPBACK, { 'content-type': 'text/plain' });
    expect([text.status, text.body['error']]).deep.equal([400, 'invalid_client_metadata']);
    const long = await register(JSON.stringify(LOOPBACK).padEnd(65_537));
    expect([long.status, long.body['error']]).deep.equal([413, 'invalid_request']);
  });

  it('T3, T5: refuses a registered redirect URI that is not allowed now', async () => {
    const client_id = 'older-client';
    for (const [redirect_uri, description] of [
      ['https://10.0.0.1/cb', 'redirect_uri: private IP addresses are not allowed (SSRF protection)'],
      ['data:text/html,x', "redirect_uri: scheme 'data' is blocked for security reasons"],
      [REDIRECT, undefined],
    ] as const) {
      await auth.known({ id: client_id, redirectUris: [redirect_uri], authMethod: 'none', origin: 'token' });
      const found = await authorize({ client_id, redirect_uri });
      const refusal = [400, { error: 'invalid_request', error_description: description }];
      expect(found).deep.equal(description === undefined ? 302 : refusal);
    }
  });

  it('T69: refuses a metadata document at a private address', async () => {
    for (const host of ['127.0.0.1', '2130706433', '[::ffff:10.0.0.1]', 'localhost'])
      expect(await authorize({ client_id: `https://${host}/client.json` })).deep.equal([
        400,
        { error: 'invalid_client', error_description: 'URL resolves to a private or internal address' },
      ]);
    expect(await authorize({ client_id: 'unknown' })).deep.equal([
      400,
      { error: 'invalid_client', error_description: 'the client is not known here; register it again' },
    ]);
  });

  it('T68: limits the registrations of an address, whatever headers claim', async () => {
    const { base } = await startAuthServer();
    const statuses: number[] = [];
    for (let at = 0; at < 11; at += 1) {
      const answer = await fetch(`${base}/oauth/register`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-forwarded-for': `203.0.113.${at}`,
          forwarded: `for=203.0.113.${at}`,
        },
        body: JSON.stringify(LOOPBACK),
      });
      statuses.push(answer.status);
      if (at === 10) expect(Number(answer.headers.get('retry-after'))).within(3_500, 3_600);
    }
    expect(statuses).deep.equal([...Array<number>(10).fill(201), 429]);
  });

  it('T74: shows the name of a client as text on the consent page, and no image', async () => {
    const client_id = 'pretty-client';
    const redirect_uri = 'com.example.app:/cb';
    const name = '<img src=x onerror=alert(1)>&"App';
    await auth.known({
      id: client_id,
      name,
      redirectUris: [redirect_uri],
      authMethod: 'none',
      origin: 'open',
    });
    const { status, text } = await auth.open(auth.authorizeUrl({ client_id, redirect_uri }), newBrowser());
    expect(status).equal(200);
    expect(text).contain('&lt;img src=x onerror=alert(1)&gt;&amp;').and.not.contain('<img');
  });
});
