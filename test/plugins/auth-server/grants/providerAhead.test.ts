import { expect } from 'chai';
import { startAuthServer, tokensOf } from '../../../support/authServer.ts';
import type { AuthServer } from '../../../support/authServer.ts';
import { until } from '../../../support/until.ts';

/** The provider's tokens end within the five minutes in which they are refreshed. */
const SHORT = { lifetimes: { AccessToken: 200 } };

describe("auth-server: the identity provider's tokens", () => {
  const refreshed = (auth: AuthServer, count: number): Promise<true> =>
    until(() => auth.provider.refreshes() >= count || undefined, { what: `${count} refreshes` });

  it('are refreshed before they end, once for many requests, and the client notices nothing', async () => {
    const auth = await startAuthServer({ provider: SHORT });
    const { access, refresh } = await auth.tokens();
    const answers = await Promise.all(Array.from({ length: 10 }, () => auth.mcp(access)));
    expect(answers.map(({ status }) => status)).deep.equal(Array(10).fill(200));
    await refreshed(auth, 1);
    // The refresh in advance may still be under way here, and then it is this one's too.
    const joined = await auth.refresh(refresh);
    expect(joined.status, JSON.stringify(joined.body)).equal(200);
    const count = auth.provider.refreshes();
    expect(count).at.most(2);
    const next = await auth.refresh(tokensOf(joined).refresh);
    expect(next.status, JSON.stringify(next.body)).equal(200);
    expect(auth.provider.refreshes()).equal(count + 1);
    expect((await auth.mcp(tokensOf(next).access)).status).equal(200);
  });

  it('stay as they are if the provider is away, and are not asked for with each request', async () => {
    const auth = await startAuthServer({ provider: SHORT });
    const { access, refresh } = await auth.tokens();
    auth.provider.fail(502, '/token');
    await auth.mcp(access);
    await auth.gateway.log.heard('were not refreshed in advance');
    await auth.mcp(access);
    auth.provider.resume();
    expect(auth.provider.requests('/token')).equal(2);
    expect((await auth.refresh(refresh)).status).equal(200);
  });

  it('that the provider has revoked end the sign-in', async () => {
    const auth = await startAuthServer({ provider: SHORT });
    const { access } = await auth.tokens();
    await auth.provider.revoke('alice');
    await auth.mcp(access);
    await auth.gateway.log.heard('were not refreshed in advance');
    expect((await auth.mcp(access)).status).equal(401);
  });
});
