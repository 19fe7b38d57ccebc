import { expect } from 'chai';
import { movableClock } from '../../../support/clock.ts';
import { heldTimers } from '../../../support/heldTimers.ts';
import { refusalOf } from '../../../support/kernel.ts';
import { GrantBench } from './grantBench.ts';
import type { GrantProcess } from './grantBench.ts';

const MINUTE_MS = 60_000;

/** The access token that a call would be sent with. @throws what prepare() throws */
async function used(process: GrantProcess): Promise<string | undefined> {
  const credential = process.credential();
  await credential.prepare();
  return credential.headers['authorization'];
}

describe('auth-client: the refresh of grants', () => {
  it('sends the token of the sign-in while it lasts, and asks for none', async () => {
    const bench = await GrantBench.open();
    const process = bench.process();
    await process.signIn();
    const credential = process.credential();
    expect(credential.prepare()).equal(undefined);
    expect(credential.headers).deep.equal({ authorization: 'Bearer access-0' });
    expect(bench.endpoint.requests).deep.equal([]);
  });

  it('asks for a new token when the old one has ended, and the call waits for it', async () => {
    const { later } = movableClock();
    const bench = await GrantBench.open();
    const process = bench.process();
    await process.signIn();
    later(70 * MINUTE_MS);
    expect(await Promise.all([used(process), used(process)])).deep.equal([
      'Bearer access-1',
      'Bearer access-1',
    ]);
    expect(bench.endpoint.requests.map(({ form }) => form)).deep.equal([
      { grant_type: 'refresh_token', refresh_token: 'refresh-0', client_id: 'gateway' },
    ]);
    expect(process.news).deep.equal(['granted', 'refreshed']);
  });

  it('sends nothing to a person who has not signed in, and says what to do', async () => {
    const bench = await GrantBench.open();
    const refusal = await refusalOf(() => used(bench.process()));
    expect(refusal.code).equal('UPSTREAM_AUTH_REQUIRED');
    expect(refusal.message).equal(
      'MCP server notes requires you to sign in; call core_auth_login with {"server": "notes"}',
    );
    expect(refusal.details).include({ server: 'notes', signInAt: 'notes' });
  });

  it('refreshes a 60-second token that is in use before it ends', async () => {
    const { later } = movableClock();
    const timers = heldTimers();
    const bench = await GrantBench.open();
    bench.endpoint.expiresIn = 60;
    const process = bench.process();
    await process.signIn();
    await used(process);
    later(44_000);
    timers.pass(44_000);
    expect(bench.endpoint.requests.length).equal(0);
    later(10_000);
    timers.pass(10_000);
    await process.log.heard('a grant was refreshed');
    expect(await used(process)).equal('Bearer access-1');
  });

  it('loses a grant that was revoked: one log line, and no more requests', async () => {
    const { later } = movableClock();
    const bench = await GrantBench.open();
    const process = bench.process();
    await process.signIn();
    bench.endpoint.refusal = { status: 400, body: { error: 'invalid_grant' } };
    later(70 * MINUTE_MS);
    for (let times = 0; times < 3; times += 1) {
      const { code, message } = await refusalOf(() => used(process));
      expect(code).equal('UPSTREAM_AUTH_REQUIRED');
      expect(message).include('the authorization server has ended the grant');
    }
    expect(bench.endpoint.requests.length).equal(1);
    expect(process.log.having('', 'warn').length).equal(1);
    expect(await process.facts()).include({ state: 'lost' });
  });
});
