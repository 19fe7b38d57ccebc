import { expect } from 'chai';
import { askingForAudiences } from '../../../support/askingForAudiences.ts';
import { REDIRECT, startAuthServer } from '../../../support/authServer.ts';
import type { AuthServer, AuthServerOptions } from '../../../support/authServer.ts';
import { newBrowser } from '../../../support/browser.ts';
import { startLyingProvider } from '../../../support/lyingProvider.ts';
import type { LyingProvider } from '../../../support/lyingProvider.ts';
import { startPeopleGateway } from '../../../support/people.ts';

describe('auth-server: what sign-ins ask the identity provider for', () => {
  let audiences: readonly string[] = [];
  const start = (options: AuthServerOptions = {}): Promise<AuthServer> =>
    startAuthServer({ ...options, ...askingForAudiences(() => audiences) });

  it('are the scopes of the configuration and the audiences of other plugins at that time, each once', async () => {
    const server = await start();
    const scopes = async (): Promise<readonly string[]> => {
      const page = await server.open(server.authorizeUrl());
      return new URL(page.headers.get('location') ?? '').searchParams.get('scope')?.split(' ') ?? [];
    };
    audiences = [];
    const plain = await scopes();
    expect(plain).include.members(['openid', 'groups']);
    audiences = ['cluster-a', 'https://b.example/x', 'cluster-a'];
    expect(await scopes()).deep.equal([
      ...plain,
      'audience:server:client_id:cluster-a',
      'audience:server:client_id:https://b.example/x',
    ]);
    audiences = ['a admin', '', 'good', 'x'.repeat(257)];
    expect(await scopes()).deep.equal([...plain, 'audience:server:client_id:good']);
    await scopes();
    const warned = server.gateway.log
      .having('an audience is not requested')
      .map(({ data }) => data['audience']);
    expect(warned).have.members(['a admin', '', 'x'.repeat(257)]);
  });

  it('have audiences in the form of the provider, or not at all', async () => {
    audiences = ['cluster-a', 'b'];
    const { config } = await startLyingProvider();
    for (const [audienceScope, asked] of [
      ['api-{audience}', ['api-cluster-a', 'api-b']],
      ['', []],
    ] as const) {
      const server = await start({ idp: { ...config, scopes: ['openid'], audienceScope } });
      await server.discovered();
      const page = await server.open(server.authorizeUrl());
      const scope = new URL(page.headers.get('location') ?? '').searchParams.get('scope');
      expect(scope?.split(' ')).deep.equal(['openid', ...asked]);
      const wrong = await server.configureServer({ idp: { ...config, audienceScope: 'api' } });
      expect(JSON.stringify(wrong)).include('audienceScope');
    }
  });

  describe('for a provider that refuses unknown scopes', () => {
    const definition = (...requiredAudiences: readonly string[]): string =>
      JSON.stringify({
        type: 'streamable-http',
        url: 'https://notes.example/mcp',
        auth: { type: 'oauth', forwardToken: true, requiredAudiences },
      });
    let provider: LyingProvider;
    let server: AuthServer;
    const asked: URLSearchParams[] = [];
    before(async () => {
      provider = await startLyingProvider({ unknownScopes: 'audience:' });
      server = await startPeopleGateway({
        idp: provider.config,
        files: {
          'mcpservers/notes.yaml': definition('target-api', 'b'),
          'mcpservers/b.yaml': definition('b'),
        },
      });
      await server.discovered();
    });
    const signIn = async (changes: Readonly<Record<string, string>> = {}): Promise<URLSearchParams> => {
      const browser = newBrowser();
      asked.length = 0;
      const note = (url: string): boolean => {
        if (url.startsWith(`${provider.url}/auth`)) asked.push(new URL(url).searchParams);
        return url.startsWith(REDIRECT);
      };
      return new URL((await browser.open(server.authorizeUrl(changes), note)).url).searchParams;
    };

    it('lack the audiences at a second try, with one warning that names who wants them', async () => {
      for (const hints of [{}, { prompt: 'login', login_hint: 'mallory' }]) {
        const code = (await signIn(hints)).get('code') ?? '';
        expect(await server.redeem(code)).property('status', 200);
        const [first, second, ...more] = asked;
        expect(first?.get('scope')).include('audience:server:client_id:target-api');
        expect(second?.get('scope')).equal('openid profile email groups offline_access');
        expect(Object.fromEntries(second ?? [])).include(hints);
        expect(second?.get('state')).not.equal(first?.get('state'));
        expect(more).deep.equal([]);
      }
      const warned = server.gateway.log.having('refuses the scopes of audiences');
      expect(warned.map(({ data }) => data['audiences'])).deep.equal([['b', 'target-api']]);
      expect(warned[0]?.data['wantedBy']).have.members(['b', 'notes']);
      expect(warned[0]?.data['fix']).include('audienceScope');
      expect(server.gateway.log.having('did not complete a request')).deep.equal([]);
    });

    it('are tried twice at most', async () => {
      provider.lie({ unknownScopes: 'openid' });
      const answer = await signIn();
      expect(answer.get('error')).equal('server_error');
      expect(asked).lengthOf(2);
      const told = server.gateway.log.having('did not complete a request').at(-1)?.data;
      expect(told).include({ error: 'invalid_scope' });
    });
  });
});
