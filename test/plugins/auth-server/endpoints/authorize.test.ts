import { expect } from 'chai';
import { newBrowser } from '../../../support/browser.ts';
import {
  PUBLIC_CLIENT,
  REDIRECT,
  challengeOf,
  newState,
  startAuthServer,
} from '../../../support/authServer.ts';
import type { AuthServer } from '../../../support/authServer.ts';

type Texts = Readonly<Record<string, string | undefined>>;

describe('auth-server: /oauth/authorize', () => {
  let auth: AuthServer;
  before(async () => {
    auth = await startAuthServer();
  });

  /** A refusal that is not sent to the redirect URI, because it is not known to be the client's. */
  async function direct(url: string): Promise<Readonly<Record<string, unknown>>> {
    const { status, headers, text } = await auth.open(url);
    expect(headers.get('location')).equal(null);
    return { status, reason: auth.lastReason, ...(JSON.parse(text) as object) };
  }
  /** A refusal that the client learns. */
  async function redirected(changes: Texts): Promise<Readonly<Record<string, string>>> {
    const { status, headers } = await auth.open(auth.authorizeUrl(changes));
    expect(status).equal(302);
    const location = headers.get('location') ?? '';
    expect(location.startsWith(REDIRECT)).equal(true);
    const params = Object.fromEntries(new URL(location).searchParams);
    return { ...params, reason: String(auth.lastReason) };
  }
  async function isSentToProvider(changes: Texts): Promise<boolean> {
    const { status, headers } = await auth.open(auth.authorizeUrl(changes));
    return status === 302 && (headers.get('location') ?? '').startsWith(auth.provider.url);
  }

  it('sends the browser to the identity provider with state, nonce and PKCE of its own', async () => {
    const { headers } = await auth.open(auth.authorizeUrl({ login_hint: 'alice@example.com' }));
    const { searchParams } = new URL(headers.get('location') ?? '');
    expect(Object.fromEntries(searchParams)).include({
      response_type: 'code',
      client_id: 'pegboard',
      redirect_uri: `${auth.base}/oauth/callback`,
      scope: 'openid profile email groups offline_access',
      code_challenge_method: 'S256',
      login_hint: 'alice@example.com',
    });
    expect(searchParams.get('state')).lengthOf.at.least(43);
    expect(searchParams.get('nonce')).lengthOf.at.least(43);
  });

  it('T1: answers 400 invalid_client for an unknown client, without a redirect', async () => {
    const unknown = await direct(auth.authorizeUrl({ client_id: 'unknown' }));
    expect(unknown).include({ status: 400, error: 'invalid_client', reason: 'unknown-client' });
    const none = await direct(auth.authorizeUrl({ client_id: undefined }));
    expect(none).include({ status: 400, error: 'invalid_request' });
    expect(none).include({ error_description: 'client_id is required' });
  });

  for (const uri of [
    'http://localhost:7777/callbacK',
    'http://localhost:7777/callback/',
    'http://localhost:7777/Callback',
    'http://localhost:7777/callback?x=1',
    'http://LOCALHOST:7777/callback',
    'https://evil.example/callback',
    undefined,
  ]) {
    it(`T2: answers 400 for the redirect URI ${uri ?? '(none)'}, without a redirect`, async () => {
      const answer = await direct(auth.authorizeUrl({ redirect_uri: uri }));
      const reason = uri === undefined ? 'parameter-missing' : 'redirect-uri-not-registered';
      expect(answer).include({ status: 400, error: 'invalid_request', reason });
    });
  }

  it('T2: leaves the port of a loopback redirect URI open, of documents and registrations, and nothing else', async () => {
    const redirectUris = [
      'http://localhost/callback',
      'http://127.0.0.1:7777/fixed',
      'https://app.example/cb',
    ];
    await auth.known({ ...PUBLIC_CLIENT, id: 'app', origin: 'document', redirectUris });
    await auth.known({ ...PUBLIC_CLIENT, id: 'registered', redirectUris });
    const statusOf = async (redirect_uri: string, client_id = 'app') =>
      (await auth.open(auth.authorizeUrl({ client_id, redirect_uri }))).status;
    // The page that asks for consent; the identity provider.
    for (const [client, status] of [
      ['app', 200],
      ['registered', 302],
    ] as const)
      for (const uri of [
        'http://localhost:54935/callback',
        'http://localhost/callback',
        'http://127.0.0.1:7778/fixed',
        'http://127.0.0.1/fixed',
      ])
        expect(await statusOf(uri, client), uri).equal(status);
    for (const uri of [
      'http://localhost:54935/other',
      'http://localhost:54935/callback?x=1',
      'http://127.0.0.1:54935/callback',
      'http://127.0.0.1:7778/other',
      'http://localhost:1@evil.example/callback',
      'http://localhost:1.evil.example/callback',
      'https://app.example:8443/cb',
    ])
      expect(await statusOf(uri), uri).equal(400);
  });

  it('T3: refuses a registered redirect URI that now leads to a private address, without a redirect', async () => {
    const uri = 'https://10.0.0.1/callback';
    await auth.known({ ...PUBLIC_CLIENT, id: 'rebound', redirectUris: [uri] });
    const answer = await direct(auth.authorizeUrl({ client_id: 'rebound', redirect_uri: uri }));
    expect(answer).include({ status: 400, error: 'invalid_request' });
    expect(answer).include({
      error_description: 'redirect_uri: private IP addresses are not allowed (SSRF protection)',
    });
  });

  it('T5: refuses a redirect URI that a browser would run, even if it is registered', async () => {
    const uris = ['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd'];
    await auth.known({ ...PUBLIC_CLIENT, id: 'runner', redirectUris: uris });
    for (const redirect_uri of uris) {
      const answer = await direct(auth.authorizeUrl({ client_id: 'runner', redirect_uri }));
      expect(answer).include({ status: 400, error: 'invalid_request' });
    }
  });

  it('T7: demands a code_challenge', async () => {
    const refused = await redirected({ code_challenge: undefined });
    expect(refused).include({ error: 'invalid_request', reason: 'code-challenge' });
    expect(await isSentToProvider({})).equal(true);
  });

  it('T8: demands S256, also if no method is named', async () => {
    for (const method of ['plain', undefined, 's256'])
      expect(await redirected({ code_challenge_method: method })).include({
        error: 'invalid_request',
        reason: 'code-challenge-method',
      });
  });

  it('T9: refuses a code_challenge that is not an S256', async () => {
    const good = challengeOf('v'.repeat(43));
    for (const code_challenge of [good.slice(1), 'a'.repeat(129), `${good.slice(1)}!`, `${good.slice(1)}=`])
      expect(await redirected({ code_challenge })).include({
        error: 'invalid_request',
        reason: 'code-challenge',
      });
  });

  it('T10: demands a state of 8 to 1,024 characters, such as Codex (22) and VS Code (24) send', async () => {
    for (const state of [undefined, '', 'x'.repeat(7), 'x'.repeat(1_025)])
      expect(await redirected({ state })).include({ error: 'invalid_request', reason: 'state-length' });
    for (const state of ['x'.repeat(8), '11QVBhwqgV01XqToPRkFOQ', 'qVaqh2bbtp/0/n+T5wZa2g=='])
      expect(await isSentToProvider({ state }), state).equal(true);
  });

  it('refuses hints that are longer than any provider takes, because each flow is kept', async () => {
    for (const [name, most] of [
      ['login_hint', 512],
      ['acr_values', 512],
      ['id_token_hint', 4_096],
    ] as const) {
      const long = await redirected({ [name]: 'x'.repeat(most + 1) });
      expect(long).include({ error: 'invalid_request', reason: 'hint-too-long' });
      expect(await isSentToProvider({ [name]: 'x'.repeat(most) }), name).equal(true);
    }
  });

  it('refuses a max_age that is not a number of seconds', async () => {
    for (const max_age of ['-1', '1.5', 'soon'])
      expect(await redirected({ max_age })).include({ error: 'invalid_request', reason: 'max-age' });
    expect(await isSentToProvider({ max_age: '0' })).equal(true);
  });

  it('T11: refuses a resource that is not this gateway', async () => {
    const { base } = auth;
    for (const resource of ['https://o.example/mcp', `${base}.evil.example`, `${base}/admin`, `${base}#mcp`])
      expect(await redirected({ resource })).include({
        error: 'invalid_target',
        reason: 'resource-not-ours',
      });
    for (const resource of [base, `${base}/`, `${base}/mcp`, `${base}/sse`, `${base}/mcp/t/sums`])
      expect(await isSentToProvider({ resource }), resource).equal(true);
  });

  it('T12: refuses every response_type but code', async () => {
    for (const response_type of ['token', 'code token', 'none', undefined])
      expect(await redirected({ response_type })).include({
        error: 'unsupported_response_type',
        reason: 'response-type',
      });
  });

  it('T13: refuses a scope that the client did not register', async () => {
    await auth.known({ ...PUBLIC_CLIENT, id: 'scoped', scopes: ['openid', 'email'] });
    const client_id = 'scoped';
    const error = 'invalid_scope';
    const wider = await redirected({ client_id, scope: 'openid groups' });
    expect(wider).include({ error, reason: 'scope-not-registered' });
    const malformed = await redirected({ client_id, scope: 'a"b' });
    expect(malformed).include({ error, reason: 'scope-malformed' });
    expect(await isSentToProvider({ client_id, scope: 'openid email' })).equal(true);
  });

  it('T14: refuses repeated parameters, without a redirect', async () => {
    for (const name of ['client_id', 'redirect_uri', 'state']) {
      const answer = await direct(`${auth.authorizeUrl()}&${name}=another`);
      expect(answer).include({ status: 400, error: 'invalid_request', reason: 'parameter-repeated' });
    }
  });

  it('T15: names the issuer on every redirect, also with errors', async () => {
    const state = newState();
    expect(await redirected({ state, response_type: 'token' })).include({ iss: auth.base, state });
    expect(Object.fromEntries(await auth.redirected({ state }))).include({ iss: auth.base, state });
  });

  it('T16: keeps the query of the redirect URI, and any character of the state', async () => {
    const target = `${REDIRECT}?tenant=a%26b`;
    await auth.known({ ...PUBLIC_CLIENT, id: 'queried', redirectUris: [target] });
    const state = `${newState()}&#%é✓ "`;
    const params = await auth.redirected({ client_id: 'queried', redirect_uri: target, state });
    expect(Object.fromEntries(params)).include({ tenant: 'a&b', state, iss: auth.base });
    expect(params.get('code')).a('string');
  });

  it('T17: refuses request objects, and follows no other address', async () => {
    const byAddress = await redirected({ request_uri: 'https://evil.example/r' });
    expect(byAddress['error']).equal('request_uri_not_supported');
    expect((await redirected({ request: 'eyJ9.e30.' }))['error']).equal('request_not_supported');
    expect(await isSentToProvider({ redirect: 'https://evil.example' })).equal(true);
  });

  it('T19: keeps two flows with the same state apart, also in one browser', async () => {
    const browser = newBrowser();
    const state = newState();
    const first = await browser.request(auth.authorizeUrl({ state }));
    const second = await browser.request(auth.authorizeUrl({ state }));
    for (const page of [second, first]) {
      const end = await browser.open(page.headers.get('location') ?? '', (url) => url.startsWith(REDIRECT));
      const params = new URL(end.url).searchParams;
      expect(params.get('state')).equal(state);
      expect((await auth.redeem(params.get('code') ?? '')).status).equal(200);
    }
  });

  it("grants the provider's scopes but openid to a client that names none, and else those that it names", async () => {
    const all = await auth.redeem(await auth.code({ scope: undefined }));
    expect(all.body['scope']).equal('profile email groups offline_access');
    const some = await auth.redeem(await auth.code({ scope: 'openid email' }));
    expect(some.body['scope']).equal('openid email');
  });

  it('sends security headers', async () => {
    const { headers } = await auth.open(auth.authorizeUrl({ client_id: 'unknown' }));
    expect(headers.get('x-frame-options')).equal('DENY');
    expect(headers.get('content-security-policy')).include("frame-ancestors 'none'");
    expect(headers.get('cache-control')).equal('no-store');
    expect(headers.get('referrer-policy')).equal('no-referrer');
  });
});
