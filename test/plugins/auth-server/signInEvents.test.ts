import { expect } from 'chai';
import type { KernelEvent } from '../../../kernel/index.ts';
import { definePlugin } from '../../../kernel/index.ts';
import { startAuthServer, tokensOf } from '../../support/authServer.ts';
import { moduleOf } from '../../support/gateway.ts';

type SignInEvent = KernelEvent<'signIn.begun' | 'signIn.ended'>;

describe('auth-server: events of sign-ins', () => {
  it('report who has signed in, once in a sign-in, and that it has ended', async () => {
    const heard: SignInEvent[] = [];
    const ear = definePlugin({
      name: 'ear',
      api: 1,
      configSchema: { type: 'object' },
      apply: (scope) =>
        scope.tap('onEvent', (event) => {
          if (event.type === 'signIn.begun' || event.type === 'signIn.ended') heard.push(event);
        }),
    });
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
});
