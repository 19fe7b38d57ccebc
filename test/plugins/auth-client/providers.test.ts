import { expect } from 'chai';
import { parse } from 'yaml';
import type { JsonObject } from '../../../kernel/index.ts';
import { GrantStore } from '../../../plugins/contracts/credentials.ts';
import { newBrowser } from '../../support/browser.ts';
import type { Page } from '../../support/browser.ts';
import { askCore, callCore } from '../../support/coreTools.ts';
import { bootGateway } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { startQuirkySite } from '../../support/quirkySite.ts';
import type { QuirkySite, Quirks } from '../../support/quirkySite.ts';
import { textOf } from '../../support/sources.ts';
import { until } from '../../support/until.ts';
import { withVariables } from '../../support/withVariables.ts';
import { PROVIDERS } from './providers.ts';
import type { Provider } from './providers.ts';

type Pinned = Readonly<Record<string, unknown>>;

/** The definitions that the README shows for well-known providers, by name. */
const SHOWN: ReadonlyMap<string, JsonObject> = new Map(
  [...textOf('plugins/auth-client/README.md').matchAll(/```yaml\n# mcpservers\/(\w+)\.yaml\n(.*?)```/gs)].map(
    ([, name = '', text = '']) => [name, parse(text) as JsonObject],
  ),
);

/** `auth.authorizationServer` as the README shows it, with the provider at that origin. @param left keys that are left out */
function shown(name: Provider, origin: string, left: readonly string[] = []): Pinned {
  const { authorizationServer } = SHOWN.get(name)?.['auth'] as { readonly authorizationServer: Pinned };
  const moved = Object.entries(authorizationServer).map(([key, value]): [string, unknown] => [
    key,
    /issuer|Endpoint$/.test(key) ? String(value).replace(/^https:\/\/[^/]+/, origin) : value,
  ]);
  return Object.fromEntries(moved.filter(([key]) => !left.includes(key)));
}

interface Tried {
  readonly site: QuirkySite;
  readonly gateway: Gateway;
  /** The text of core_auth_login. */
  readonly told: () => Promise<string>;
  /** Opens its link, to the end. */
  readonly signIn: () => Promise<Page>;
}
/** A gateway whose server `notes` is at a provider with quirks. @param pinned undefined: its definition pins none */
async function tried(quirks: Quirks, pinned?: (origin: string) => Pinned): Promise<Tried> {
  const names = Object.keys(PROVIDERS).map((name) => [`${name.toUpperCase()}_SECRET`, 's']);
  withVariables(Object.fromEntries(names) as Readonly<Record<string, string>>);
  const site = await startQuirkySite(quirks);
  const auth = { type: 'oauth', ...(pinned && { authorizationServer: pinned(site.origin) }) };
  const gateway = await bootGateway({
    builtIns: 'all',
    aggregator: { port: 0, oauth: { mcpClient: { enabled: true } } },
    files: { 'mcpservers/notes.yaml': JSON.stringify({ type: 'streamable-http', url: site.url, auth }) },
  });
  const login = () => callCore(gateway, 'core_auth_login', { server: 'notes' });
  const told = async () => String((await login()).content[0]?.['text']);
  const signIn = async () => {
    const { structuredContent } = await login();
    return newBrowser().open((structuredContent as { readonly authUrl: string }).authUrl);
  };
  return { site, gateway, told, signIn };
}
/** The one line about a sign-in that has failed. */
function failureOf({ gateway }: Tried) {
  const lines = gateway.log.having('sign-in at a server not completed', 'warn');
  expect(lines).lengthOf(1);
  return lines[0]?.data ?? {};
}

describe('auth-client: well-known providers', () => {
  for (const name of Object.keys(PROVIDERS) as Provider[]) {
    it(`signs in at one like ${name} with the definition of the README`, async () => {
      const { signIn, told } = await tried(PROVIDERS[name], (origin) => shown(name, origin));
      const { text } = await signIn();
      expect(text).contain('You are signed in at').not.contain('cannot be used yet');
      expect(await told()).contain('already authenticated');
    });
  }

  it('shows definitions in the README that are valid', async () => {
    expect([...SHOWN.keys()].sort()).deep.equal([...Object.keys(PROVIDERS), 'atlassian'].sort());
    const files = [...SHOWN].map(([name, spec]) => [`mcpservers/${name}.yaml`, JSON.stringify(spec)]);
    const gateway = await bootGateway({
      builtIns: ['store-file', 'core-mcpservers'],
      files: Object.fromEntries(files) as Readonly<Record<string, string>>,
    });
    expect(gateway.log.records.filter(({ level }) => level === 'warn' || level === 'error')).deep.equal([]);
    expect(await askCore(gateway, 'core_mcpserver_list')).include({ total: SHOWN.size });
  });
});

describe('auth-client: keys for authorization servers that differ', () => {
  it('resource: none leaves out the parameter, which Entra ID refuses on its own page', async () => {
    const refused = await tried(PROVIDERS.entra, (origin) => shown('entra', origin, ['resource']));
    expect((await refused.signIn()).text).contain('AADSTS901002');
    const { site, signIn } = await tried(PROVIDERS.entra, (origin) => shown('entra', origin));
    await signIn();
    expect(site.signIns[0]).include({ prompt: 'select_account', code_challenge_method: 'S256' });
    for (const asked of [site.signIns[0], site.tokenRequests[0]?.form])
      expect(asked).not.property('resource');
  });

  it('assumePkce: true is named where the metadata mentions no PKCE, and does not outvote metadata that does', async () => {
    const pinned = (origin: string) => shown('entra', origin, ['assumePkce']);
    const { told, site } = await tried(PROVIDERS.entra, pinned);
    const text = await told();
    expect(text).match(/does not support PKCE with S256; .*set auth\.authorizationServer\.assumePkce: true/);
    expect(text).not.contain('On the MCPServer set');
    expect(site.signIns).lengthOf(0);
    const metadata = { code_challenge_methods_supported: ['plain'] };
    const plain = await tried({ ...PROVIDERS.entra, metadata }, (origin) => shown('entra', origin));
    expect(await plain.told()).match(/does not support PKCE with S256$/);
    const free = await tried(PROVIDERS.entra);
    expect(await free.told()).match(/assumePkce: true .*On the MCPServer set .*authorizationServer\.issuer/);
  });

  it('parameters go along with the authorization request, such as access_type for Google', async () => {
    for (const left of [['parameters'], []]) {
      const { site, signIn, gateway } = await tried(PROVIDERS.google, (origin) =>
        shown('google', origin, left),
      );
      await signIn();
      const kinds = { access_type: 'offline', prompt: 'consent' };
      if (left.length === 0) expect(site.signIns[0]).include(kinds);
      else expect(site.signIns[0]).not.have.any.keys(...Object.keys(kinds));
      expect(gateway.log.having('a caller has signed in at a server')).lengthOf(1);
    }
  });

  it('endpoints take the place of metadata, and commas separate scopes', async () => {
    const bare = await tried(PROVIDERS.github, (origin) =>
      shown('github', origin, ['authorizationEndpoint', 'tokenEndpoint']),
    );
    expect(await bare.told()).match(
      /publishes no metadata: .*; if it has none, set authorizationEndpoint and tokenEndpoint of auth\.authorizationServer/,
    );
    const { site, signIn, gateway } = await tried(PROVIDERS.github, (origin) => shown('github', origin));
    await signIn();
    expect(site.signIns[0]?.['scope']).equal('repo read:org');
    const status = await callCore(gateway, 'core_mcpserver_list', {});
    expect(JSON.stringify(status)).contain('repo read:org');
  });

  it('revocationEndpoint gets the token of a sign-out', async () => {
    const { site, signIn, gateway } = await tried(PROVIDERS.github, (origin) => ({
      ...shown('github', origin),
      revocationEndpoint: `${origin}/revoke`,
    }));
    await signIn();
    await callCore(gateway, 'core_auth_logout', { server: 'notes' });
    const told = await until(() => site.tokenRequests[1], { what: 'a revocation' });
    expect(told.form).include({ token_type_hint: 'access_token' });
  });

  it('endpoints may not be at private addresses, unless the issuer is there too', async () => {
    const { told } = await tried(PROVIDERS.github, (origin) => ({
      ...shown('github', origin),
      issuer: 'https://login.example.org',
    }));
    expect(await told()).match(/the token_endpoint http:.* has a private or internal address$/);
  });

  it('tokenEndpointAuthMethod sends the secret where the provider reads it', async () => {
    const { site, signIn } = await tried(PROVIDERS.hubspot, (origin) => shown('hubspot', origin));
    await signIn();
    expect(site.tokenRequests.map(({ secretIn }) => secretIn)).deep.equal(['body']);
  });

  it('a pinned issuer may give tokens of its own type, or of none, but none that are bound to a key', async () => {
    for (const [token_type, text] of [
      ['user', 'You are signed in'],
      [undefined, 'You are signed in'],
      ['DPoP', 'Failed to complete authentication'],
    ] as const) {
      const tokens: Quirks['tokens'] = (_, access_token) => ({ access_token, token_type });
      const { signIn } = await tried({ ...PROVIDERS.hubspot, tokens }, (origin) => shown('hubspot', origin));
      expect((await signIn()).text, token_type).contain(text);
    }
  });

  it('another issuer may not: the log names the key to set', async () => {
    for (const token_type of ['user', undefined]) {
      const quirks = {
        ...PROVIDERS.hubspot,
        refusal: () => undefined,
        tokens: () => ({ access_token: 'a', token_type }),
      };
      const free = await tried(quirks);
      expect((await free.signIn()).text).contain('Failed to complete authentication');
      expect(failureOf(free)['cause']).match(
        /not Bearer .*set auth\.authorizationServer\.issuer of the server$/,
      );
    }
  });
});

describe('auth-client: new tokens from authorization servers that differ', () => {
  /** The server's one grant, refreshed now. */
  const refresh = async ({ gateway }: Tried) => {
    const store = gateway.kernel.registry.all(GrantStore.id)[0] as GrantStore;
    const [grant] = await store.all();
    return store.refresh(grant?.id ?? '');
  };

  it('may come as a form, with a type of their own', async () => {
    const tokens: Quirks['tokens'] = (_, access_token) => ({
      access_token,
      refresh_token: 'r',
      token_type: 'user',
      scope: 'a,b',
    });
    const one = await tried({ ...PROVIDERS.github, tokens }, (origin) => shown('github', origin));
    await one.signIn();
    expect(await refresh(one)).include({ state: 'valid' });
    expect(one.site.tokenRequests[1]?.form).include({ grant_type: 'refresh_token' });
    expect(one.gateway.log.having('a grant was refreshed')).lengthOf(1);
    expect(JSON.stringify(await callCore(one.gateway, 'core_mcpserver_list', {}))).contain('"a b');
  });

  it('that are refused are one line in the log, with what the provider has said', async () => {
    const one = await tried(PROVIDERS.hubspot, (origin) => shown('hubspot', origin));
    await one.signIn();
    const error_description = 'the secret has expired';
    one.site.change({ refusal: () => ({ error: 'invalid_client', error_description }) });
    expect(await refresh(one)).include({ state: 'lost' });
    const lines = one.gateway.log.having('a grant is lost', 'warn');
    expect(lines).lengthOf(1);
    expect(lines[0]?.data).include({ server: 'notes', description: error_description });
    expect(lines[0]?.data['fix']).contain('clientSecret');
  });
});

describe('auth-client: what a provider says about an error', () => {
  it('on the return of the browser is in the log too, unless it is about the person', async () => {
    for (const [error, facts] of [
      [
        'invalid_scope',
        { description: 'no scope x', fix: 'check scopes of auth.authorizationServer of the server' },
      ],
      ['access_denied', {}],
    ] as const) {
      const one = await tried(PROVIDERS.hubspot, (origin) => shown('hubspot', origin));
      one.site.change({ error: { error, error_description: 'no scope x' } });
      expect((await one.signIn()).text)
        .contain('denied or failed')
        .not.contain('scope x');
      expect(failureOf(one)).include({ cause: error, ...facts });
      expect('description' in failureOf(one)).equal(error === 'invalid_scope');
    }
  });

  it('is in one line of the log, with its code and the key to look at', async () => {
    const pinned = (origin: string) => shown('hubspot', origin, ['tokenEndpointAuthMethod']);
    const one = await tried(PROVIDERS.hubspot, pinned);
    expect((await one.signIn()).text).not.contain('missing or unknown');
    expect(failureOf(one)).include({
      server: 'notes',
      cause: 'invalid_client (HTTP 400)',
      description: 'missing or unknown client secret',
      fix: 'check clientId, clientSecret and tokenEndpointAuthMethod of auth.authorizationServer of the server, if it has these',
    });
  });

  it('is there too when its errors have the status 200', async () => {
    for (const [name, key] of [
      ['github', 'clientSecret'],
      ['slack', 'tokenEndpointAuthMethod'],
    ] as const) {
      const one = await tried(PROVIDERS[name], (origin) =>
        shown(name, origin, [key, 'tokenEndpointAuthMethod']),
      );
      expect((await one.signIn()).text).contain('Failed to complete authentication');
      expect(failureOf(one)['cause'], name).match(/^(incorrect_client_credentials|invalid_client_id) /);
      expect(failureOf(one)['fix'], name).contain('tokenEndpointAuthMethod');
    }
  });

  it('names resource: none where the token endpoint refuses the resource', async () => {
    const refusal: Quirks['refusal'] = () => ({
      error: 'invalid_target',
      error_description: 'ask kim@example.org',
    });
    const one = await tried({ ...PROVIDERS.hubspot, refusal }, (origin) => shown('hubspot', origin));
    await one.signIn();
    expect(failureOf(one)).include({
      fix: 'set auth.authorizationServer.resource: none of the server',
      description: 'ask [redacted]',
    });
  });
});

describe('auth-client: keys of authorizationServer that cannot work together', () => {
  const issuer = 'https://login.example.org';
  const [authorizationEndpoint, tokenEndpoint] = [`${issuer}/a`, `${issuer}/t`];
  const refused: readonly (readonly [string, Pinned, string])[] = [
    [
      'a parameter that the sign-in sets',
      { issuer, parameters: { scope: 'a', prompt: 'consent' } },
      'auth.authorizationServer.parameters.scope is set by the sign-in itself; remove it',
    ],
    [
      'a parameter that would change what those mean',
      { issuer, parameters: { code_challenge: 'a' } },
      'auth.authorizationServer.parameters.code_challenge is set by the sign-in itself; remove it',
    ],
    [
      'a secret that browsers would see',
      { issuer, parameters: { client_secret: 'a' } },
      'auth.authorizationServer.parameters.client_secret is set by the sign-in itself; remove it',
    ],
    [
      'resource among the parameters',
      { issuer, parameters: { resource: 'a' } },
      'auth.authorizationServer.parameters.resource is the url of the server; remove it, or write resource: none beside',
    ],
    [
      'a key without the issuer that it is about',
      { resource: 'none' },
      'auth.authorizationServer.issuer is required',
    ],
    [
      'a resource of its own',
      { issuer, resource: 'https://a.example' },
      'auth.authorizationServer.resource must be one of the enum values',
    ],
    [
      'a method that needs a secret, without one',
      { issuer, clientId: 'c', tokenEndpointAuthMethod: 'client_secret_post' },
      'auth.authorizationServer.tokenEndpointAuthMethod is client_secret_post, which needs clientId and clientSecret; write them',
    ],
    [
      'no method, with a secret',
      { issuer, clientId: 'c', clientSecret: 's', tokenEndpointAuthMethod: 'none' },
      'auth.authorizationServer.tokenEndpointAuthMethod keeps clientSecret from being sent; remove one of them',
    ],
    [
      'a secret without an id',
      { issuer, clientSecret: 's' },
      'auth.authorizationServer.clientSecret is of no use without the id of its client; write clientId',
    ],
    [
      'one endpoint',
      { issuer, clientId: 'c', tokenEndpoint },
      'auth.authorizationServer.tokenEndpoint counts only with authorizationEndpoint and tokenEndpoint, in place of metadata; write both',
    ],
    [
      'an endpoint to revoke alone',
      { issuer, clientId: 'c', revocationEndpoint: tokenEndpoint },
      'auth.authorizationServer.revocationEndpoint counts only with authorizationEndpoint and tokenEndpoint',
    ],
    [
      'endpoints without a client',
      { issuer, authorizationEndpoint, tokenEndpoint },
      'auth.authorizationServer.authorizationEndpoint is in place of metadata, so no one says how to become known there; write clientId',
    ],
    [
      'an endpoint by http',
      { issuer, clientId: 'c', authorizationEndpoint, tokenEndpoint: 'http://login.example.org/t' },
      'auth.authorizationServer.tokenEndpoint must match pattern',
    ],
  ];
  for (const [what, authorizationServer, message] of refused)
    it(`are refused with the fix: ${what}`, async () => {
      const gateway = await bootGateway({ builtIns: ['store-file', 'core-mcpservers'] });
      const definition = { name: 'a', type: 'streamable-http', url: 'https://a.example/mcp' };
      const auth = { type: 'oauth', authorizationServer };
      const { content } = await callCore(gateway, 'core_mcpserver_validate', { ...definition, auth });
      expect(content[0]?.['text']).contain(message);
    });
});
