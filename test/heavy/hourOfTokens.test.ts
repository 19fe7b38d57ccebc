import { expect } from 'chai';
import { mcpClient } from '../contract/index.ts';
import type { McpClient } from '../contract/index.ts';
import { newBrowser } from '../support/browser.ts';
import { movableClock } from '../support/clock.ts';
import { freePort } from '../support/everything.ts';
import { startGuardedSite } from '../support/guardedSite.ts';
import type { GuardedSite } from '../support/guardedSite.ts';
import { needRedis, startRedis } from '../support/redis.ts';
import type { Pegboard } from '../support/serve.ts';
import { sharedProcesses } from '../support/sharedProcesses.ts';
import { until } from '../support/until.ts';

const PEOPLE = 10;
/** Number of sessions of each person. */
const SESSIONS = 2;
const TOKEN_LIFE_S = 60;
const STEP_S = 11;
/** No token is replaced before this share of its life. */
const EARLIEST = 0.75;

const MOVED = 'clock moved';
/** Each SIGUSR2 is a step of the clock. */
const CLOCK = `
const real = Date.now;
let ahead = 0;
Date.now = () => real() + ahead;
process.on('SIGUSR2', () => {
  ahead += ${STEP_S * 1_000};
  console.error(JSON.stringify({ level: 'info', text: '${MOVED}' }));
});
`;
/** Trusts the header x-caller: a person and a sign-in session. */
const IDENTIFY = `
import { STAGE } from 'pegboard';
export const plugin = {
  name: 'test-identify',
  api: 1,
  configSchema: { type: 'object' },
  apply: (scope) =>
    scope.tap('onRequest', (request) => {
      const [subject, sid] = request.header('x-caller')?.split(' ') ?? [];
      if (subject !== undefined) request.caller = { issuer: 'https://people.example', subject, claims: { sid } };
      return undefined;
    }, STAGE.identify),
};
`;

interface Caller {
  readonly account: string;
  /** One at each process. */
  readonly clients: readonly McpClient[];
}

describe('e2e: an hour of 60-second tokens at two processes', function () {
  this.timeout(300_000);
  before(function () {
    needRedis(this);
  });

  const start = async (grantScope: string) => {
    const clock = movableClock();
    const site = await startGuardedSite({ issuer: { lifetime: TOKEN_LIFE_S } });
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    const { directory, start: startProcess } = sharedProcesses(
      await startRedis(),
      [],
      { 'test-identify': { module: './identify.mjs' } },
      { aggregator: { oauth: { mcpClient: { enabled: true, publicUrl } } }, code: CLOCK },
    );
    directory.write('identify.mjs', IDENTIFY);
    const auth = { type: 'oauth', grantScope };
    directory.write('mcpservers/vault.yaml', site.definition({ auth }));
    const processes = [await startProcess('a', ['--port', String(port)]), await startProcess('b')];
    let steps = 0;
    const step = async (): Promise<void> => {
      steps += 1;
      clock.later(STEP_S * 1_000);
      for (const { pid } of processes) process.kill(pid, 'SIGUSR2');
      await until(() => processes.every((one) => movesOf(one) === steps), { what: 'the clocks' });
    };
    return { site, processes, step };
  };
  const movesOf = ({ lines }: Pegboard): number => lines.filter(({ text }) => text === MOVED).length;

  /** Signs in by a link that one process gives out. */
  const enter = async (
    { site, processes }: { readonly site: GuardedSite; readonly processes: readonly Pegboard[] },
    [person, session]: readonly [number, number],
  ): Promise<Caller> => {
    const account = `account-${person}`;
    const headers = { 'x-caller': `person-${person} session-${person}-${session}` };
    const clients = await Promise.all(processes.map(({ url }) => mcpClient(url, headers)));
    const answer = await clients[session]!.callTool('core_auth_login', { server: 'vault' });
    const { authUrl } = (answer.structuredContent ?? {}) as { authUrl?: string };
    // With grantScope subject, the second session needs no sign-in.
    if (authUrl === undefined) return { account, clients };
    const browser = newBrowser();
    site.issuer.signInAs(browser, account);
    const done = await browser.submit(await browser.open(authUrl), {});
    expect(done.text).include('You are signed in');
    return { account, clients };
  };

  for (const [grantScope, minutes, grants] of [
    ['session', 60, PEOPLE * SESSIONS],
    ['subject', 10, PEOPLE],
  ] as const) {
    it(`grantScope ${grantScope}: no caller is refused or asked, and each token is refreshed once`, async () => {
      const place = await start(grantScope);
      const { site, step } = place;
      const callers: Caller[] = [];
      for (let session = 0; session < SESSIONS; session += 1)
        for (let person = 0; person < PEOPLE; person += 1)
          callers.push(await enter(place, [person, session]));
      const lastAt = new Map<string, number>();
      let shortestS = Infinity;
      let before = site.issuer.refreshes();
      for (let second = STEP_S; second <= minutes * 60; second += STEP_S) {
        await step();
        const calls = callers.flatMap(({ account, clients }) =>
          clients.map(async (client) => {
            const answer = await client.callTool('x_vault_whoami');
            expect(answer.isError, JSON.stringify(answer)).not.equal(true);
            expect(JSON.stringify(answer)).include(`\\"account\\":\\"${account}\\"`);
          }),
        );
        await Promise.all(calls);
        const after = site.issuer.refreshes();
        for (const [grant, refreshes] of after) {
          const more = refreshes - (before.get(grant) ?? 0);
          if (more === 0) continue;
          expect(more, `refreshes of one grant at second ${second}`).equal(1);
          shortestS = Math.min(shortestS, second - (lastAt.get(grant) ?? 0));
          lastAt.set(grant, second);
        }
        before = after;
      }
      const { tokenRequests } = site.issuer;
      const counts = [...before.values()];
      expect(counts).lengthOf(grants);
      expect(shortestS).least(TOKEN_LIFE_S * EARLIEST);
      expect(Math.min(...counts)).least(minutes - 1);
      expect(tokenRequests.filter(({ status }) => status !== 200)).deep.equal([]);
      expect(tokenRequests.filter(({ grantType }) => grantType !== 'refresh_token')).lengthOf(grants);
      expect(site.refusals().withToken).equal(0);
      expect(site.crossings()).equal(0);
    });
  }
});
