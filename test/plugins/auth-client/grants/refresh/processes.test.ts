import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { movableClock } from '../../../../support/clock.ts';
import { heldTimers } from '../../../../support/heldTimers.ts';
import { refusalOf } from '../../../../support/kernel.ts';
import { until } from '../../../../support/until.ts';
import { GrantBench, requestOf } from '../grantBench.ts';
import { used } from '../used.ts';

const HOUR_S = 3_600;
const STEP_S = 3;
/** The share of its life after which a token is refreshed at the earliest. */
const EARLIEST = 0.75;

describe('auth-client: grants of several processes', () => {
  it('are refreshed once for each token: 20 callers, two processes, an hour of 60-second tokens, no 401', async function () {
    this.timeout(120_000);
    const { later } = movableClock();
    const timers = heldTimers();
    const bench = await GrantBench.open();
    bench.endpoint.expiresIn = 60;
    const processes = [bench.process('one'), bench.process('two')];
    const people = Array.from({ length: 20 }, (_, at) => `p${at}`);
    for (const [at, person] of people.entries())
      await processes[at % 2]!.signIn(requestOf(person, 's'), bench.endpoint.tokensOf(person));
    let refused = 0;
    for (let second = 0; second < HOUR_S; second += STEP_S) {
      later(STEP_S * 1_000);
      timers.pass(STEP_S * 1_000);
      await turn();
      const calls = processes.flatMap((process) =>
        people.map(async (person) => {
          const token = (await used(process, requestOf(person, 's')))?.replace('Bearer ', '') ?? '';
          expect(token).match(new RegExp(`^access-${person}-`));
          if (!bench.endpoint.accepts(token)) refused += 1;
        }),
      );
      await Promise.all(calls);
    }
    expect(refused).equal(0);
    const most = Math.ceil(HOUR_S / (60 * EARLIEST));
    for (const person of people) expect(bench.endpoint.countOf(person)).within(HOUR_S / 60, most);
    const sent = bench.endpoint.requests.map(({ form }) => form['refresh_token']);
    expect(new Set(sent).size, 'each refresh token is sent once').equal(sent.length);
    expect(processes.flatMap(({ log }) => log.having('', 'warn'))).deep.equal([]);
  });

  it('are refreshed once when all processes are told that the token has been refused', async () => {
    const bench = await GrantBench.open();
    const processes = ['one', 'two', 'three'].map((own) => bench.process(own));
    await processes[0]!.signIn();
    const outcomes = await Promise.all(
      processes.map(async (process) => {
        await used(process);
        const credential = process.credential();
        const { headers } = credential;
        return credential.refused({ status: 401, challenges: [], headers });
      }),
    );
    expect(outcomes).deep.equal([true, true, true]);
    expect(await Promise.all(processes.map((process) => used(process)))).deep.equal(
      Array(3).fill('Bearer access-1'),
    );
    expect(bench.endpoint.requests.length).equal(1);
  });

  it('are reported to the other processes when a caller signs in', async () => {
    const bench = await GrantBench.open();
    const [one, two] = [bench.process('one'), bench.process('two')];
    const told: (string | undefined)[] = [];
    const end = two.credentials.follow((owner) => told.push(owner));
    expect(await two.credentials.usable(requestOf('p', 's'))).deep.equal([]);
    await one.signIn(requestOf('p', 's'));
    const { owner } = two.credential(requestOf('p', 's'));
    expect(told).deep.equal([owner]);
    expect(await two.credentials.usable(requestOf('p', 's'))).lengthOf(1);
    end();
    await one.signIn(requestOf('q', 's'));
    expect(told).deep.equal([owner]);
  });

  it('are waited for while another process refreshes them, which has ended else', async () => {
    const { later } = movableClock();
    const bench = await GrantBench.open();
    const process = bench.process('one');
    await process.signIn(undefined, { expiresAt: Date.now() });
    const cell = process.grants.cell('local', 'notes');
    const left = { process: 'two', id: 'two/1', since: Date.now() };
    await process.grants.update(cell, (found) => ({ ...found, turn: left }));
    expect(await process.facts()).include({ state: 'refreshing' });
    const waiting = used(process);
    await turn();
    expect(bench.endpoint.requests.length).equal(0);
    bench.bus.ended.add('two');
    expect(await waiting).equal('Bearer access-1');
    later(1);
    expect(await process.facts()).include({ state: 'valid' });
  });

  it('are lost if a process has ended in the middle and the answer to it was the only one', async () => {
    const bench = await GrantBench.open();
    const process = bench.process('one');
    await process.signIn(undefined, { expiresAt: Date.now(), refreshToken: 'spent' });
    const cell = process.grants.cell('local', 'notes');
    const left = { process: 'two', id: 'two/1', since: Date.now() };
    await process.grants.update(cell, (found) => ({ ...found, turn: left }));
    bench.bus.ended.add('two');
    expect((await refusalOf(() => used(process))).message).include('was lost on the way');
  });

  it('that one process loses are lost for all, with one log line', async () => {
    const bench = await GrantBench.open();
    const [one, two] = [bench.process('one'), bench.process('two')];
    await one.signIn(undefined, { refreshToken: 'revoked', expiresAt: Date.now() });
    for (const process of [one, two, one, two])
      expect((await refusalOf(() => used(process))).code).equal('UPSTREAM_AUTH_REQUIRED');
    expect(bench.endpoint.requests.length).equal(1);
    expect([...one.log.having('', 'warn'), ...two.log.having('', 'warn')].length).equal(1);
  });

  it('are used everywhere after a sign-in, and nowhere after they were dropped', async () => {
    const bench = await GrantBench.open();
    const [one, two] = [bench.process('one'), bench.process('two')];
    await refusalOf(() => used(two));
    await one.signIn();
    expect(await used(two)).equal('Bearer access-0');
    expect((await one.grants.drop('local', 'notes'))?.grant?.refreshToken).equal('refresh-0');
    expect((await refusalOf(() => used(two))).code).equal('UPSTREAM_AUTH_REQUIRED');
    expect(two.credential().headers).deep.equal({});
  });

  it('are read again if messages may have been lost', async () => {
    const bench = await GrantBench.open();
    const [one, two] = [bench.process('one'), bench.process('two')];
    await one.signIn();
    await used(two);
    bench.bus.isDeaf = true;
    await one.grants.drop('local', 'notes');
    expect(await used(two)).equal('Bearer access-0');
    bench.bus.gap();
    expect((await refusalOf(() => used(two))).code).equal('UPSTREAM_AUTH_REQUIRED');
  });

  it('are those of the new sign-in if one is completed during a refresh', async () => {
    const bench = await GrantBench.open();
    const [one, two] = [bench.process('one'), bench.process('two')];
    await one.signIn(undefined, { expiresAt: Date.now() });
    bench.endpoint.server.pause();
    const waiting = used(one);
    await until(() => bench.endpoint.server.requests('/token') > 0, { what: 'a token request' });
    await two.signIn(undefined, { accessToken: 'of-the-new-sign-in' });
    bench.endpoint.server.resume();
    expect(await waiting).equal('Bearer of-the-new-sign-in');
    expect(await used(two)).equal('Bearer of-the-new-sign-in');
    expect(one.news).deep.equal(['granted']);
  });
});
