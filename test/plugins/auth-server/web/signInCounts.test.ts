import { expect } from 'chai';
import { startAuthServer, tokensOf } from '../../../support/authServer.ts';
import { metricsOf, valuesOf } from '../../../support/metrics.ts';

describe('auth-server: metrics', () => {
  it('count sign-ins that begin and end, and refusals by OAuth error', async () => {
    const auth = await startAuthServer();
    const now = (name: string) => valuesOf(metricsOf(auth.gateway), name);
    const tokens = await auth.tokens();
    const { refresh } = tokensOf(await auth.refresh(tokens.refresh));
    expect(now('pegboard.signin.begun')).deep.equal({ '': 1 });
    expect(now('pegboard.signin.ended')).deep.equal({ '': 0 });
    await auth.post({ token: refresh, client_id: auth.clientId }, {}, '/oauth/revoke');
    expect(now('pegboard.signin.ended')).deep.equal({ '': 1 });
    expect(now('pegboard.signin.refused')).deep.equal({});
    expect((await auth.refresh(refresh)).body).include({ error: 'invalid_grant' });
    expect(now('pegboard.signin.refused')).deep.equal({ 'error=invalid_grant': 1 });
  });
});
