import { expect } from 'chai';
import type { KernelEvent, Plugin } from '../../../kernel/index.ts';
import { definePlugin } from '../../../kernel/index.ts';
import { AuthorizationServer } from '../../../plugins/contracts/oauth.ts';
import { startAuthServer, tokensOf } from '../../support/authServer.ts';
import { movableClock } from '../../support/clock.ts';
import { moduleOf } from '../../support/gateway.ts';

type SignInEvent = KernelEvent<'signIn.begun' | 'signIn.ended'>;

function earOf(heard: SignInEvent[]): Plugin {
  return definePlugin({
    name: 'ear',
    api: 1,
    configSchema: { type: 'object' },
    apply: (scope) =>
      scope.tap('onEvent', (event) => {
        if (event.type === 'signIn.begun' || event.type === 'signIn.ended') heard.push(event);
      }),
  });
}

describe('auth-server: events of sign-ins', () => {
  it('report who has signed in, once in a sign-in, and that it has ended', async () => {
    const heard: SignInEvent[] = [];
    const ear = earOf(heard);
    const auth = await startAuthServer({
      settings: { plugins: { ear: { module: './ear.mjs' } } },
      files: { 'ear.mjs': moduleOf(ear) },
    });
    const tokens = await auth.tokens();
    const { refresh } = tokensOf(await auth.refresh(tokens.refresh));
    expect(heard.map(({ type }) => type)).deep.equal(['signIn.begun']);
    const [begun] = heard;
    const caller = begun?.type === 'signIn.begun' ? begun.caller : undefined;
    expect(caller).include({ subject: 'alice', issuer: auth.provider.url });
    await auth.post({ token: refresh, client_id: auth.clientId }, {}, '/oauth/revoke');
    expect(heard.slice(1)).deep.equal([{ type: 'signIn.ended', sid: caller?.claims?.['sid'] }]);
  });

  it('are not needed to know whether a sign-in has ended', async () => {
    const { later } = movableClock();
    const heard: SignInEvent[] = [];
    const auth = await startAuthServer({
      config: { sessionDuration: '5m' },
      settings: { plugins: { ear: { module: './ear.mjs' } } },
      files: { 'ear.mjs': moduleOf(earOf(heard)) },
    });
    const server = auth.gateway.kernel.registry.get(AuthorizationServer.id) as AuthorizationServer;
    const begin = async (): Promise<string> => {
      await auth.tokens();
      const [begun] = heard.splice(0);
      return begun?.type === 'signIn.begun' ? String(begun.caller.claims?.['sid']) : '';
    };
    const former = await begin();
    expect(await server.hasEnded(former)).equal(false);
    later(301_000);
    expect(await server.hasEnded(former)).equal(true);
    expect(await server.hasEnded(await begin())).equal(false);
    const external = await server.callerOf({ issuer: 'https://other', subject: 'bob', claims: {} });
    expect(await server.hasEnded(String(external.claims?.['sid']))).equal(false);
  });
});
