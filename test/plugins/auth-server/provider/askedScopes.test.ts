import { expect } from 'chai';
import { definePlugin } from '../../../../kernel/index.ts';
import { SignInScopes } from '../../../../plugins/contracts/oauth.ts';
import { startAuthServer } from '../../../support/authServer.ts';
import type { AuthServer } from '../../../support/authServer.ts';
import { moduleOf } from '../../../support/gateway.ts';

describe('auth-server: what sign-ins ask the identity provider for', () => {
  let audiences: readonly string[] = [];
  const plugin = definePlugin({
    name: 'audiences',
    api: 1,
    configSchema: { type: 'object' },
    provides: [SignInScopes],
    apply: (scope) => {
      for (const part of [0, 1])
        scope.provide(SignInScopes, { audiences: () => audiences.filter((_, at) => at % 2 === part) });
    },
  });
  const start = (): Promise<AuthServer> =>
    startAuthServer({
      settings: { plugins: { audiences: { module: './audiences.mjs' } } },
      files: { 'audiences.mjs': moduleOf(plugin) },
    });

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
});
