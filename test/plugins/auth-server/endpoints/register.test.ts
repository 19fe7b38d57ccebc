import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/index.ts';
import type { RedirectPolicy } from '../../../../plugins/auth-server/clients/redirectUri.ts';
import { Registrations } from '../../../../plugins/auth-server/clients/registrations.ts';
import { canRegister, registration } from '../../../../plugins/auth-server/endpoints/register.ts';
import type { Gates } from '../../../../plugins/auth-server/endpoints/register.ts';
import { digest } from '../../../../plugins/kit/secrets/secrets.ts';
import { OAuthError } from '../../../../plugins/kit/oauth/oauthError.ts';
import { MemoryVault } from '../../../../plugins/vault-memory/memoryVault.ts';
import { PUBLIC_ADDRESS } from '../../../support/httpsSite.ts';
import { captureLog } from '../../../support/log.ts';
import type { CapturedLog } from '../../../support/log.ts';

const TOKEN = 'registration-token-of-the-operator';
const WEB = {
  client_name: 'Web',
  redirect_uris: ['https://app.example/cb'],
  token_endpoint_auth_method: 'none',
};
const LOOPBACK = { redirect_uris: ['http://127.0.0.1:1234/cb'], token_endpoint_auth_method: 'none' };
const CLOSED: Gates = {
  registrationToken: undefined,
  settings: {
    allowPublicClientRegistration: false,
    allowLocalhostRedirectURIs: false,
    allowWellKnownRedirectURIs: false,
    trustedPublicRegistrationSchemes: [],
    trustedPublicRegistrationRedirectURIs: [],
    rateLimits: { perAddress: 50, perClient: 100, perPerson: 100, registrations: 10, logLines: 1 },
  },
};
const UNAUTHENTICATED = {
  error: 'invalid_token',
  error_description:
    'Registration requires authentication. Provide a valid registration token or use a trusted redirect URI scheme.',
};

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

describe('auth-server: POST /oauth/register', () => {
  let log: CapturedLog;
  let registrations: Registrations;
  beforeEach(() => {
    log = captureLog();
    const vault = new MemoryVault(() => ({
      maxEntries: 1e5,
      maxBytes: 1e8,
      maxValueBytes: 1e6,
      sweepMs: 1e6,
    }));
    registrations = new Registrations(
      () => vault,
      () => 1e9,
    );
  });

  /** An endpoint with these gates. */
  const endpoint = (settings: Partial<Gates['settings']>, registrationToken?: string) => {
    const gates = { registrationToken, settings: { ...CLOSED.settings, ...settings } };
    const policy: RedirectPolicy = {
      settings: { ...gates.settings, allowLocalhostRedirectURIs: true, allowPrivateIPRedirectURIs: false },
      resolve: (host) => Promise.resolve([host === 'inner.example' ? '10.0.0.1' : PUBLIC_ADDRESS]),
    };
    const registered = registration(
      registrations,
      () => gates,
      () => policy,
      log,
    );
    return async (body: unknown, authorization?: string, address = '203.0.113.7'): Promise<Answer> => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      try {
        return (await registered(text, { authorization, address })) as Answer;
      } catch (error) {
        if (error instanceof OAuthError) return error;
        throw error;
      }
    };
  };
  const expectRefusal = ({ status, body }: Answer, code: string, text?: string): void => {
    expect([status, body['error']]).deep.equal([400, code]);
    if (text !== undefined) expect(body['error_description']).equal(text);
  };

  it('registers a public client, and answers what it registered', async () => {
    const { status, body } = await endpoint({}, TOKEN)(
      { ...WEB, scope: 'openid email', logo_uri: 'x' },
      `Bearer ${TOKEN}`,
    );
    expect(status).equal(201);
    const { client_id: id, client_id_issued_at: issuedAt, ...rest } = body;
    expect(issuedAt).closeTo(Date.now() / 1_000, 60);
    expect(rest).deep.equal({
      client_name: 'Web',
      client_type: 'public',
      redirect_uris: WEB.redirect_uris,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'openid email',
    });
    expect(await registrations.find(String(id))).deep.equal({
      id,
      name: 'Web',
      scopes: ['openid', 'email'],
      redirectUris: WEB.redirect_uris,
      authMethod: 'none',
      origin: 'token',
    });
  });

  it('registers a confidential client by default, and shows its secret once', async () => {
    const register = endpoint({ allowPublicClientRegistration: true });
    const { redirect_uris } = WEB;
    for (const [given, method] of [
      [{}, 'client_secret_basic'],
      [{ token_endpoint_auth_method: 'client_secret_post' }, 'client_secret_post'],
      [{ client_type: 'confidential' }, 'client_secret_basic'],
    ] as const) {
      const { status, body } = await register({ redirect_uris, ...given });
      expect(status).equal(201);
      expect(body).include({
        client_type: 'confidential',
        token_endpoint_auth_method: method,
        client_secret_expires_at: 0,
      });
      expect((await registrations.find(String(body['client_id'])))?.secretHash).equal(
        digest(String(body['client_secret'])),
      );
    }
    const { body } = await register({ redirect_uris, client_type: 'public' });
    expect(body).include({ client_type: 'public', token_endpoint_auth_method: 'none' });
    expect(body).not.have.property('client_secret');
  });

  it('T66: refuses a registration without the token, with another one, and with a part of it', async () => {
    const register = endpoint({}, TOKEN);
    for (const given of [
      undefined,
      '',
      'Bearer',
      'Bearer x',
      TOKEN,
      `Basic ${TOKEN}`,
      `Bearer ${TOKEN.slice(0, -1)}`,
      `Bearer ${TOKEN}x`,
      `Bearer  `,
    ]) {
      const { status, body, headers } = await register(WEB, given);
      expect([status, body], given).deep.equal([401, UNAUTHENTICATED]);
      expect(headers).deep.equal({ 'www-authenticate': 'Bearer' });
    }
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect((await register(WEB, `${scheme} ${TOKEN}`)).status, scheme).equal(201);
    expect(log.records.every(({ data }) => !JSON.stringify(data).includes(TOKEN))).equal(true);
  });

  it('T66: is closed when no gate is configured', async () => {
    expect(canRegister(CLOSED)).equal(false);
    const { status, body } = await endpoint({})(LOOPBACK, `Bearer ${TOKEN}`);
    expect([status, body['error']]).deep.equal([403, 'access_denied']);
    expect((await endpoint({ allowPublicClientRegistration: true })(LOOPBACK)).status).equal(201);
  });

  it('T67: opens a gate of trusted redirect URIs only if it trusts all of them', async () => {
    const register = endpoint({
      trustedPublicRegistrationSchemes: ['cursor', 'https'],
      trustedPublicRegistrationRedirectURIs: ['https://Trusted.example:443/a/./cb%2f%7Ex'],
      allowLocalhostRedirectURIs: true,
    });
    const registered = async (...uris: readonly string[]): Promise<unknown> => {
      const { status, body } = await register(
        { ...WEB, redirect_uris: uris },
        undefined,
        String(Math.random()),
      );
      return status === 201 ? (await registrations.find(String(body['client_id'])))?.origin : status;
    };
    const trusted = 'https://trusted.example/a/cb%2F~x';
    expect(await registered('cursor://anysphere.cursor-mcp/oauth/callback')).equal('trusted');
    expect(await registered(trusted)).equal('trusted');
    expect(await registered('http://localhost:8787/callback')).equal('open');
    expect(await registered('cursor://x/cb', trusted, 'http://localhost:8787/callback')).equal('trusted');
    for (const foreign of [
      'https://evil.example/cb',
      'https://trusted.example/a/cb',
      'https://trusted.example.evil/a/cb%2F~x',
      'vscode://x/cb',
      'http://localhost.evil.example/',
    ])
      for (const others of [[], ['cursor://x/cb'], [trusted], ['http://localhost/']])
        expect(await registered(...others, foreign), foreign).equal(401);
    expect(await registered()).equal(401);
  });

  it('registers a client on the machine of the person without further settings, unless they forbid it', async () => {
    expect((await endpoint({ allowLocalhostRedirectURIs: true })(LOOPBACK)).status).equal(201);
    expect((await endpoint({}, TOKEN)(LOOPBACK)).status).equal(401);
  });

  it('registers widely used clients without further settings, as ones of whom people are asked, unless it is switched off', async () => {
    const settings = { allowLocalhostRedirectURIs: true, allowWellKnownRedirectURIs: true };
    const vsCode = ['https://vscode.dev/redirect', 'http://127.0.0.1:33418/', 'http://127.0.0.1/'];
    for (const redirect_uris of [vsCode, ['https://claude.ai/api/mcp/auth_callback']]) {
      const { status, body } = await endpoint(settings)({ ...WEB, redirect_uris });
      expect(status).equal(201);
      expect((await registrations.find(String(body['client_id'])))?.origin).equal('open');
      const off = { ...settings, allowWellKnownRedirectURIs: false };
      expect((await endpoint(off)({ ...WEB, redirect_uris })).status).equal(401);
    }
    const near = { ...WEB, redirect_uris: ['https://vscode.dev/redirect/x'] };
    expect((await endpoint(settings)(near)).status).equal(401);
  });

  it('knows a client by the best that it shows, also where anyone may register', async () => {
    const register = endpoint(
      { allowPublicClientRegistration: true, trustedPublicRegistrationSchemes: ['cursor'] },
      TOKEN,
    );
    const originOf = async (metadata: object, authorization?: string): Promise<unknown> =>
      (await registrations.find(String((await register(metadata, authorization)).body['client_id'])))?.origin;
    expect(await originOf(WEB, 'Bearer wrong')).equal('open');
    expect(log.having('anyone may register', 'warn')).length(1);
    expect(await originOf(WEB, `Bearer ${TOKEN}`)).equal('token');
    expect(await originOf({ ...WEB, redirect_uris: ['cursor://x/cb'] })).equal('trusted');
    expect(log.having('anyone may register', 'warn')).length(1);
  });

  it('T68: refuses the eleventh registration of an address within an hour', async () => {
    const register = endpoint({ allowPublicClientRegistration: true });
    for (let at = 0; at < 10; at += 1) expect((await register(LOOPBACK)).status).equal(201);
    const { status, body, headers } = await register(LOOPBACK);
    expect([status, body['error']]).deep.equal([429, 'rate_limit_exceeded']);
    expect(Number(headers?.['retry-after'])).within(3_500, 3_600);
    expect((await register(LOOPBACK, undefined, '203.0.113.8')).status).equal(201);
  });

  it('T68: counts the addresses of one IPv6 network together', async () => {
    const register = endpoint({ allowPublicClientRegistration: true });
    const statuses: number[] = [];
    for (let at = 0; at < 11; at += 1)
      statuses.push((await register(LOOPBACK, undefined, `2001:db8::${at}`)).status);
    expect(statuses).deep.equal([...Array<number>(10).fill(201), 429]);
    expect((await register(LOOPBACK, undefined, '2001:db8:0:1::1')).status).equal(201);
  });

  it('refuses redirect URIs as the policy does', async () => {
    const register = endpoint({}, TOKEN);
    const refused = async (uris: unknown, text?: string): Promise<void> =>
      expectRefusal(
        await register({ ...WEB, redirect_uris: uris }, `Bearer ${TOKEN}`, String(Math.random())),
        'invalid_redirect_uri',
        text,
      );
    await refused(undefined, 'redirect_uri: at least one redirect URI is required');
    await refused([], 'redirect_uri: at least one redirect URI is required');
    await refused('https://app.example/cb', 'redirect_uri: at least one redirect URI is required');
    await refused(['https://app.example/cb', 7], 'redirect_uri: invalid URI format');
    await refused(
      ['javascript:alert(1)'],
      "redirect_uri: scheme 'javascript' is blocked for security reasons",
    );
    await refused(
      ['https://app.example/cb#'],
      'redirect_uri: fragments are not allowed (OAuth 2.0 Security BCP)',
    );
    await refused(
      ['https://app.example/cb', 'https://inner.example/cb'],
      'redirect_uri: hostname resolves to private IP address (DNS rebinding protection)',
    );
    await refused(Array<string>(21).fill('https://app.example/cb'));
    const good = { ...WEB, redirect_uris: Array<string>(20).fill('https://app.example/cb') };
    expect((await register(good, `Bearer ${TOKEN}`)).status).equal(201);
  });

  it('refuses metadata that it cannot use', async () => {
    const register = endpoint({ allowPublicClientRegistration: true });
    for (const body of [
      '',
      'x',
      '[]',
      'null',
      '"x"',
      { ...WEB, token_endpoint_auth_method: 'private_key_jwt' },
      { ...WEB, token_endpoint_auth_method: 7 },
    ])
      expectRefusal(await register(body, undefined, String(Math.random())), 'invalid_client_metadata');
    expectRefusal(
      await register({ ...WEB, redirect_uris: [`https://app.example/${'x'.repeat(1_800)}`] }),
      'invalid_client_metadata',
    );
  });

  it('T74: keeps one line of text as the name, and no image', async () => {
    const register = endpoint({ allowPublicClientRegistration: true });
    const { body } = await register({
      ...WEB,
      client_name: '<img src=x>\r\n\u202eApp',
      logo_uri: 'https://evil.example/x.png',
    });
    expect(body['client_name']).equal('<img src=x> App');
    expect(JSON.stringify(await registrations.find(String(body['client_id'])))).not.contain('x.png');
  });
});
