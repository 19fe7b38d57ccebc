import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/index.ts';
import { newBrowser } from '../../support/browser.ts';
import { movableClock } from '../../support/clock.ts';
import { until } from '../../support/until.ts';
import { peopleGateway } from './peopleGateway.ts';
import type { PeopleGateway, Person } from './peopleGateway.ts';

async function signInAtNotes(people: PeopleGateway, { caller }: Person): Promise<void> {
  const { text } = await newBrowser().open(await people.link(caller));
  expect(text).contain('You are signed in');
}
/** Has the plugin search for sign-ins that have run out, as it does each hour. */
async function search({ auth }: PeopleGateway): Promise<void> {
  const mcpClient = { enabled: true, callbackPath: '/other/callback' };
  await auth.configure(({ aggregator }) => ({
    aggregator: { ...aggregator, oauth: { ...(aggregator['oauth'] as JsonObject), mcpClient } },
  }));
}
const revoked = ({ site }: PeopleGateway): number => site.issuer.requests('/token/revocation');

describe('auth-client: grants of sign-ins at this gateway that have ended', () => {
  it('are discarded and revoked once their sign-in has run out, and those of others stay', async () => {
    const clock = movableClock();
    const people = await peopleGateway();
    await people.auth.configureServer({ sessionDuration: '5m' });
    const alice = await people.signIn();
    await signInAtNotes(people, alice);
    await people.auth.configureServer({ sessionDuration: '10m' });
    await signInAtNotes(people, await people.signIn('bob'));
    expect(await people.grants()).lengthOf(2);
    clock.later(301_000);
    await search(people);
    await until(() => revoked(people) === 1, { what: 'a revocation' });
    const [left, ...others] = await people.grants();
    expect([left?.startsWith('server-grant:'), others]).deep.equal([true, []]);
  });

  it("of a person are discarded and revoked when the person's last sign-in is signed out", async () => {
    const people = await peopleGateway({ type: 'oauth', grantScope: 'subject' });
    const [laptop, phone] = [await people.signIn(), await people.signIn()];
    await signInAtNotes(people, laptop);
    await people.signOut(laptop);
    expect([(await people.grants()).length, revoked(people)]).deep.equal([1, 0]);
    await people.signOut(phone);
    await until(() => revoked(people) === 1, { what: 'a revocation' });
    expect(await people.grants()).deep.equal([]);
  });

  it('of a person stay when the last sign-in only runs out: the broker may release them', async () => {
    const clock = movableClock();
    const people = await peopleGateway({ type: 'oauth', grantScope: 'subject' });
    await people.auth.configureServer({ sessionDuration: '5m' });
    await signInAtNotes(people, await people.signIn());
    clock.later(301_000);
    await search(people);
    expect([(await people.grants()).length, revoked(people)]).deep.equal([1, 0]);
  });
});
