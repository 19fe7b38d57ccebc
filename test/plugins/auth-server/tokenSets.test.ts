import { expect } from 'chai';
import { startAuthServer, tokensOf } from '../../support/authServer.ts';
import type { AuthServer, TokenAnswer, Tokens } from '../../support/authServer.ts';
import { CLIENT_ID, CLIENT_SECRET } from '../../support/clientAtProvider.ts';
import { until } from '../../support/until.ts';

type Stored = Record<string, unknown>;

async function recordsOf({ vault }: AuthServer, kind: string): Promise<readonly Stored[]> {
  const keys = await vault.list(kind);
  return Promise.all(keys.map(async (key) => (await vault.get(key)) as Stored));
}
const codesOf = (answers: readonly TokenAnswer[]): readonly unknown[] =>
  answers.map(({ status, body }) => (status === 200 ? 200 : body['error']));

/** Another process has used a refresh token of the provider, which then takes it no more. */
async function useUp({ provider }: AuthServer, token: string): Promise<void> {
  const form = { grant_type: 'refresh_token', refresh_token: token };
  const authorization = `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`;
  const body = new URLSearchParams(form);
  const answer = await fetch(`${provider.url}/token`, { method: 'POST', headers: { authorization }, body });
  expect(answer.status).equal(200);
}

describe('auth-server: several sign-ins of a person', () => {
  it('live side by side at a provider that keeps one refresh token for them, and rotates it', async () => {
    const auth = await startAuthServer({ provider: { isRotating: true } });
    let codex = await auth.tokens();
    await auth.provider.revoke('alice');
    let claude = await auth.tokens();
    for (let round = 0; round < 50; round += 1) {
      codex = tokensOf(await auth.refresh(codex.refresh));
      claude = tokensOf(await auth.refresh(claude.refresh));
    }
    expect([(await auth.mcp(codex.access)).status, (await auth.mcp(claude.access)).status]).deep.equal([
      200, 200,
    ]);
    expect(await recordsOf(auth, 'oauth-tokens:')).length(1);
  });

  it('are served by the newest as soon as the provider has answered, before its client asks for tokens', async () => {
    const auth = await startAuthServer();
    const first = await auth.tokens();
    await auth.provider.revoke('alice');
    const code = await auth.code();
    const next = tokensOf(await auth.refresh(first.refresh));
    await auth.post({ token: next.refresh, client_id: auth.clientId }, {}, '/oauth/revoke');
    const second = tokensOf(await auth.redeem(code));
    expect((await auth.refresh(second.refresh)).status, 'after the sign-out of the other').equal(200);
  });

  it('keep the refresh token of a provider that gives it at the first one only', async () => {
    const auth = await startAuthServer({ provider: { offlineBy: ['prompt', 'consent'] } });
    const [first, second] = [await auth.tokens({ prompt: 'consent' }), await auth.tokens()];
    const asked = auth.provider.refreshes();
    expect(codesOf([await auth.refresh(first.refresh), await auth.refresh(second.refresh)])).deep.equal([
      200, 200,
    ]);
    expect(auth.provider.refreshes() - asked).equal(2);
  });

  it('have the groups that the newest of them has brought', async () => {
    const auth = await startAuthServer();
    auth.provider.loginAs('alice', { groups: ['ops'] });
    const first = await auth.tokens();
    auth.provider.loginAs('alice', { groups: ['dev'] });
    await auth.code();
    const headers = { authorization: `Bearer ${first.access}` };
    const told = (await (await fetch(`${auth.base}/oauth/userinfo`, { headers })).json()) as Stored;
    expect(told['groups']).deep.equal(['dev']);
  });

  it('are refreshed by one request to the provider if they ask at the same time', async () => {
    const auth = await startAuthServer({ provider: { isRotating: true } });
    const signIns: Tokens[] = [];
    for (let at = 0; at < 5; at += 1) signIns.push(await auth.tokens());
    const asked = auth.provider.requests('/token');
    auth.provider.pause('/token');
    const answers = signIns.map(({ refresh }) => auth.refresh(refresh));
    await until(() => auth.provider.requests('/token') > asked || undefined, {
      what: 'the provider is asked',
    });
    auth.provider.resume();
    expect(codesOf(await Promise.all(answers))).deep.equal(Array(5).fill(200));
    expect(auth.provider.refreshes()).lessThan(5);
  });

  it('end together when the provider has ended what they share, with their streams', async () => {
    const auth = await startAuthServer();
    const [asking, other] = [await auth.tokens(), await auth.tokens()];
    auth.provider.loginAs('bob');
    const bob = await auth.tokens();
    const headers = { authorization: `Bearer ${other.access}` };
    const stream = await fetch(`${auth.base}/sse`, { headers });
    await auth.provider.revoke('alice');
    const answers = [await auth.refresh(asking.refresh), await auth.refresh(other.refresh)];
    expect(codesOf(answers)).deep.equal(['invalid_grant', 'invalid_grant']);
    await stream.text();
    expect((await auth.mcp(other.access)).status).equal(401);
    expect((await auth.refresh(bob.refresh)).status).equal(200);
  });

  it('end one by one at a provider that names its sessions', async () => {
    const auth = await startAuthServer({ provider: { reportsLogouts: true, isRotating: true } });
    const [laptop, phone] = [await auth.tokens(), await auth.tokens()];
    expect(await recordsOf(auth, 'oauth-tokens:')).length(2);
    await useUp(auth, String(auth.provider.issued[0]?.['refresh_token']));
    expect(codesOf([await auth.refresh(laptop.refresh), await auth.refresh(phone.refresh)])).deep.equal([
      'invalid_grant',
      200,
    ]);
  });

  it('live on if a new session of a provider takes the refresh token of the former one, as at Dex', async () => {
    const auth = await startAuthServer({
      provider: { reportsLogouts: true, isRotating: true, refusal: 'invalid_request' },
    });
    const signIns = [await auth.tokens(), await auth.tokens()];
    for (let session = 0; session < 3; session += 1) {
      await auth.provider.revoke('alice');
      await auth.code();
      for (const [at, { refresh }] of signIns.entries()) signIns[at] = tokensOf(await auth.refresh(refresh));
    }
    const laterOnes = signIns.map(({ refresh }) => auth.refresh(refresh));
    expect(codesOf(await Promise.all(laterOnes))).deep.equal([200, 200]);
    await auth.provider.revoke('alice');
    const { refresh } = await auth.tokens();
    await auth.provider.revoke('alice');
    expect(codesOf([await auth.refresh(refresh)])).deep.equal(['invalid_grant']);
  });

  it('are moved from where an older version has kept their tokens, and lose nothing', async () => {
    const auth = await startAuthServer({ provider: { isRotating: true } });
    const { refresh } = await auth.tokens();
    const key = `oauth-signin:${refresh.split('.')[0]!}`;
    const [set] = await recordsOf(auth, 'oauth-tokens:');
    const { tokenSet, ...own } = (await auth.vault.get(key)) as Stored;
    await auth.vault.set(key, { ...own, person: set?.['person'], provider: set?.['tokens'] });
    await auth.vault.delete(`oauth-tokens:${String(tokenSet)}`);
    const next = tokensOf(await auth.refresh(refresh));
    expect((await auth.refresh(next.refresh)).status).equal(200);
    expect(await auth.vault.get(key))
      .include({ tokenSet })
      .and.not.have.property('provider');
  });
});
