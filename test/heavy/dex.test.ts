import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { askingForAudiences } from '../support/askingForAudiences.ts';
import { REDIRECT, startAuthServer, tokensOf } from '../support/authServer.ts';
import type { AuthServer, TokenAnswer, Tokens } from '../support/authServer.ts';
import { newBrowser, signIn } from '../support/browser.ts';
import { clientAtProvider } from '../support/clientAtProvider.ts';
import { movableClock } from '../support/clock.ts';
import { PASSWORD, needDex, startDex } from '../support/dex/dex.ts';
import type { Dex } from '../support/dex/dex.ts';
import { freePort } from '../support/everything.ts';

const PEOPLE = { alice: ['dev', 'ops'], bob: ['dev'], carol: [] };
const ROUNDS = 20;
const RESTARTS = 4;

describe('sign-in at a real Dex', function () {
  this.timeout(60_000);
  let dex: Dex;
  let auth: AuthServer;
  let audiences: readonly string[] = [];
  before(async function () {
    this.timeout(180_000);
    needDex(this);
    const port = await freePort();
    auth = await startAuthServer({
      idp: { ...clientAtProvider(`http://127.0.0.1:${port}/dex`), provider: 'dex' },
      ...askingForAudiences(() => audiences),
    });
    dex = await startDex(port, `${auth.base}/oauth/callback`, { people: PEOPLE });
    await auth.discovered();
  });
  afterEach(async function () {
    this.timeout(60_000);
    audiences = [];
    await dex.restart({ people: PEOPLE });
  });

  async function codeOf(username: keyof typeof PEOPLE): Promise<string> {
    const { searchParams } = await signIn(auth.authorizeUrl(), {
      browser: newBrowser(),
      until: (url) => url.startsWith(REDIRECT),
      fill: () => ({ login: `${username}@example.com`, password: PASSWORD }),
    });
    return searchParams.get('code') ?? '';
  }
  const tokensAs = async (username: keyof typeof PEOPLE): Promise<Tokens> =>
    tokensOf(await auth.redeem(await codeOf(username)));
  const saying = ({ status, body }: TokenAnswer): readonly unknown[] => [status, body['error']];
  const ENDED = [400, 'invalid_grant'];

  it('two clients of one person live side by side, though it keeps one refresh token for both', async () => {
    let [codex, claude] = [await tokensAs('alice'), await tokensAs('alice')];
    for (let round = 0; round < ROUNDS; round += 1) {
      codex = tokensOf(await auth.refresh(codex.refresh));
      claude = tokensOf(await auth.refresh(claude.refresh));
    }
    expect((await auth.mcp(codex.access)).status).equal(200);
    expect((await auth.mcp(claude.access)).status).equal(200);
  });

  it('restarts, each with a new key, lose no sign-in', async () => {
    let signedIn = [await tokensAs('alice'), await tokensAs('alice'), await tokensAs('carol')];
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      await dex.restart({ people: PEOPLE });
      const answers = await Promise.all(signedIn.map(({ refresh }) => auth.refresh(refresh)));
      signedIn = answers.map(tokensOf);
    }
    for (const { access } of signedIn) expect((await auth.mcp(access)).status).equal(200);
  });

  it('a restart after which it knows no refresh token tells clients at once to sign in', async () => {
    const { refresh, access } = await tokensAs('alice');
    await dex.restart({ people: PEOPLE, storage: 'second' });
    expect(saying(await auth.refresh(refresh))).deep.equal(ENDED);
    expect((await auth.mcp(access)).status).equal(401);
    tokensOf(await auth.refresh((await tokensAs('alice')).refresh));
  });

  it('the end of a refresh token tells clients at once to sign in', async () => {
    const { refresh } = await tokensAs('alice');
    await dex.restart({ people: PEOPLE, absoluteLifetime: '1ms' });
    expect(saying(await auth.refresh(refresh))).deep.equal(ENDED);
  });

  it('an audience that it does not know keeps no person out, and a trusted one is in the id token', async () => {
    for (const [wanted, aud] of [
      [['target'], ['target', 'pegboard']],
      [['target', 'nosuch'], 'pegboard'],
    ] as const) {
      audiences = wanted;
      const { body } = await auth.redeem(await codeOf('alice'));
      expect(decodeJwt(String(body['id_token'])).aud).deep.equal(aud);
    }
    expect(auth.gateway.log.having('refuses the scopes of audiences')).length(1);
  });

  // Last, because the gateway waits for its clock before it reads keys again.
  it('a person who is removed is told to sign in by the refresh that comes 20 seconds later', async () => {
    const { alice, carol } = PEOPLE;
    const clock = movableClock();
    const [bob, other] = [await tokensAs('bob'), await tokensAs('alice')];
    await dex.restart({ people: { alice, carol } });
    expect(saying(await auth.refresh(bob.refresh))).deep.equal([503, 'temporarily_unavailable']);
    clock.later(20_000);
    expect(saying(await auth.refresh(bob.refresh))).deep.equal(ENDED);
    tokensOf(await auth.refresh(other.refresh));
    clock.end();
  });
});
