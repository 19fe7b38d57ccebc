import { expect } from 'chai';
import { movableClock } from '../../../../support/clock.ts';
import { heldTimers } from '../../../../support/heldTimers.ts';
import { refusalOf } from '../../../../support/kernel.ts';
import { GrantBench } from '../grantBench.ts';
import { used } from '../used.ts';

const MINUTE_MS = 60_000;

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
      'MCP server notes requires you to sign in; call core_auth_login with {"server": "notes"} through call_tool',
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

  it('sends the client as it is known there, and the resource', async () => {
    const { later } = movableClock();
    const bench = await GrantBench.open();
    const process = bench.process();
    const resource = 'https://mcp.example/mcp';
    const client = { id: 'gate way', secret: 'se:cret', isRegistered: false };
    const methods = ['client_secret_basic', 'client_secret_post'] as const;
    for (const authMethod of methods) {
      await process.signIn(undefined, { resource, client: { ...client, authMethod } });
      later(70 * MINUTE_MS);
      await used(process);
    }
    const [basic, post] = bench.endpoint.requests;
    expect(basic).deep.equal({
      form: { grant_type: 'refresh_token', refresh_token: 'refresh-0', resource },
      authorization: `Basic ${Buffer.from('gate+way:se%3Acret').toString('base64')}`,
    });
    expect(post?.form).include({ client_id: 'gate way', client_secret: 'se:cret', resource });
    expect(post?.authorization).equal(undefined);
  });

  it('keeps the old refresh token if the answer has none', async () => {
    const { later } = movableClock();
    const bench = await GrantBench.open();
    const process = bench.process();
    await process.signIn();
    bench.endpoint.more = { refresh_token: undefined };
    later(70 * MINUTE_MS);
    await used(process);
    expect((await process.grants.find('local', 'notes'))?.grant).include({
      accessToken: 'access-1',
      refreshToken: 'refresh-0',
    });
  });

  it('asks only after a refusal if the answers do not say when tokens end', async () => {
    const { later } = movableClock();
    const bench = await GrantBench.open();
    bench.endpoint.expiresIn = undefined;
    const process = bench.process();
    await process.signIn();
    later(365 * 24 * 60 * MINUTE_MS);
    const credential = process.credential();
    expect(await used(process)).equal('Bearer access-0');
    const refusal = { status: 401, challenges: [], headers: credential.headers } as const;
    expect(await credential.refused(refusal)).equal(true);
    expect(credential.headers).deep.equal({ authorization: 'Bearer access-1' });
  });

  for (const [what, more] of [
    ['an id_token that is not signed', { id_token: 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.' }],
    ['members without a value', { scope: null, refresh_token: '', expires_in: 'soon' }],
    ['a thousand scopes', { scope: Array.from({ length: 1_000 }, (_, at) => `s${at}`).join(' ') }],
  ] as const)
    it(`uses an answer with ${what}`, async () => {
      const { later } = movableClock();
      const bench = await GrantBench.open();
      const process = bench.process();
      await process.signIn();
      bench.endpoint.more = more;
      later(70 * MINUTE_MS);
      expect(await used(process)).equal('Bearer access-1');
      expect((await process.facts()).scope?.length).lessThan(600);
    });

  it('sends the refresh token to no private address of a public server, unless its issuer is pinned', async () => {
    const { later } = movableClock();
    const bench = await GrantBench.open();
    const process = bench.process();
    process.servers = [bench.server({}, { url: 'https://93.184.216.34/mcp' })];
    await process.signIn(undefined, { url: 'https://93.184.216.34/mcp' });
    later(70 * MINUTE_MS);
    expect((await refusalOf(() => used(process))).message).include('private or internal address');
    expect(bench.endpoint.requests).deep.equal([]);
    await process.signIn(undefined, { url: 'https://93.184.216.34/mcp', isPinned: true });
    later(70 * MINUTE_MS);
    expect(await used(process)).equal('Bearer access-1');
  });
});
