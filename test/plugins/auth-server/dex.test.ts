import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { askingForAudiences } from '../../support/askingForAudiences.ts';
import { startAuthServer, tokensOf } from '../../support/authServer.ts';
import type { AuthServer, TokenAnswer, Tokens } from '../../support/authServer.ts';
import { movableClock } from '../../support/clock.ts';
import { startFakeDex } from '../../support/dex/fakeDex.ts';
import type { DexOptions, FakeDex } from '../../support/dex/fakeDex.ts';
import { until } from '../../support/until.ts';

const PEOPLE = ['alice', 'alice', 'bob'];
const ROUNDS = 50;
const KEY_CHANGES = 20;
/** The gateway reads the provider's keys at most so often. */
const READ_KEYS_MS = 2_000;
const HOUR_MS = 3_600_000;

describe('auth-server: sign-ins at Dex', () => {
  async function start(
    options: DexOptions = {},
    audiences: readonly string[] = [],
  ): Promise<{ dex: FakeDex; auth: AuthServer }> {
    const dex = await startFakeDex(options);
    const auth = await startAuthServer({
      idp: { ...dex.config, provider: 'dex' },
      ...askingForAudiences(() => audiences),
    });
    await auth.discovered();
    return { dex, auth };
  }
  const saying = ({ status, body }: TokenAnswer): readonly unknown[] => [status, body['error']];
  const ENDED = [400, 'invalid_grant'];

  it('two clients of one person live side by side, though it keeps one refresh token for both', async () => {
    const { dex, auth } = await start();
    let [codex, claude] = [await auth.tokens(), await auth.tokens()];
    for (let round = 0; round < ROUNDS; round += 1) {
      codex = tokensOf(await auth.refresh(codex.refresh));
      claude = tokensOf(await auth.refresh(claude.refresh));
    }
    expect(dex.log).empty;
    expect(dex.requests('/dex/token')).equal(2 + 2 * ROUNDS);
  });

  it('change after change of its keys loses none of them while they are refreshed all the time', async () => {
    const clock = movableClock();
    const { dex, auth } = await start();
    const counts = PEOPLE.map(() => 0);
    const signedIn: Tokens[] = [];
    for (const person of PEOPLE) {
      dex.loginAs(person);
      signedIn.push(await auth.tokens());
    }
    let isOver = false;
    const refreshing = signedIn.map(async (first, at) => {
      let tokens = first;
      for (; !isOver; counts[at] = (counts[at] ?? 0) + 1)
        tokens = tokensOf(await auth.refresh(tokens.refresh));
      return tokens;
    });
    const changing = async (): Promise<void> => {
      for (let change = 0; change < KEY_CHANGES; change += 1) {
        clock.later(READ_KEYS_MS);
        dex.rotateKeys();
        const before = [...counts];
        await until(() => counts.every((count, at) => count >= (before[at] ?? 0) + 2));
      }
    };
    const changed = changing().finally(() => (isOver = true));
    const [, ...all] = await Promise.all([changed, ...refreshing]);
    for (const { access } of all) expect((await auth.mcp(access)).status).equal(200);
    expect(dex.log).empty;
  });

  it('its restart, after which it knows no refresh token, tells clients at once to sign in', async () => {
    const { dex, auth } = await start();
    const tokens = await auth.tokens();
    dex.restart();
    expect(saying(await auth.refresh(tokens.refresh))).deep.equal(ENDED);
    expect((await auth.mcp(tokens.access)).status).equal(401);
    tokensOf(await auth.refresh((await auth.tokens()).refresh));
  });

  it('the end of a refresh token tells clients at once to sign in', async () => {
    const clock = movableClock();
    const { dex, auth } = await start({ lifetimeMs: HOUR_MS });
    const tokens = await auth.tokens();
    const next = tokensOf(await auth.refresh(tokens.refresh));
    clock.later(HOUR_MS + 1_000);
    expect(saying(await auth.refresh(next.refresh))).deep.equal(ENDED);
    expect(dex.log).deep.equal(['refresh token expired']);
  });

  it('a person whom the connector refuses is told to sign in by the refresh that comes 20 seconds later', async () => {
    const clock = movableClock();
    const { dex, auth } = await start();
    dex.loginAs('bob');
    const { refresh } = await auth.tokens();
    dex.refuse('bob');
    const first = await auth.refresh(refresh);
    expect(saying(first)).deep.equal([503, 'temporarily_unavailable']);
    expect(Number(first.headers.get('retry-after'))).above(0);
    clock.later(20_000);
    expect(saying(await auth.refresh(refresh))).deep.equal(ENDED);
  });

  it('two browsers with sessions of their own live side by side too', async () => {
    const { auth } = await start({ hasSessions: true });
    const [laptop, phone] = [await auth.tokens(), await auth.tokens()];
    for (const { refresh } of [laptop, phone]) expect((await auth.refresh(refresh)).status).equal(200);
  });

  it('a refresh while the person signs in elsewhere waits for what the sign-in brings', async () => {
    const { dex, auth } = await start();
    const { refresh } = await auth.tokens();
    dex.pause('/dex/userinfo');
    const asked = (path: string, count: number): Promise<true> =>
      until(() => dex.requests(path) >= count || undefined, { what: `${count} requests to ${path}` });
    const before = dex.requests('/dex/userinfo');
    const code = auth.code();
    await asked('/dex/userinfo', before + 1);
    const refreshed = auth.refresh(refresh);
    await asked('/dex/token', 3);
    dex.resume();
    await code;
    expect((await refreshed).status).equal(200);
  });

  it('an audience that it does not know keeps no person out, and a trusted one is in the id token', async () => {
    const peers = { target: ['pegboard'], strange: [] };
    for (const [audiences, aud] of [
      [['target'], ['target', 'pegboard']],
      [['target', 'nosuch'], 'pegboard'],
      [['strange'], 'pegboard'],
    ] as const) {
      const { auth } = await start({ peers }, audiences);
      const answer = await auth.redeem(await auth.code());
      expect(decodeJwt(String(answer.body['id_token'])).aud).deep.equal(aud);
      const warned = auth.gateway.log.having('refuses the scopes of audiences').length;
      expect(warned).equal(aud === 'pegboard' ? 1 : 0);
    }
  });

  it('groups that a person loses are gone at the next refresh', async () => {
    const { dex, auth } = await start();
    dex.loginAs('carol', ['dev', 'ops']);
    const first = await auth.tokens();
    const groups = async ({ access }: Tokens): Promise<unknown> => {
      const headers = { authorization: `Bearer ${access}` };
      const answer = await fetch(`${auth.base}/oauth/userinfo`, { headers });
      return ((await answer.json()) as { readonly groups?: unknown }).groups;
    };
    expect(await groups(first)).deep.equal(['dev', 'ops']);
    dex.loginAs('carol', ['dev']);
    expect(await groups(tokensOf(await auth.refresh(first.refresh)))).deep.equal(['dev']);
  });
});
