import { expect } from 'chai';
import { holderOf } from '../../../../../plugins/auth-client/grants/record/holderOf.ts';
import { movableClock } from '../../../../support/clock.ts';
import { GrantBench, RULES, requestOf } from '../grantBench.ts';

const DAY_MS = 86_400_000;
const ADA = { ...RULES, grantScope: 'subject' } as const;

describe('auth-client: the store of grants', () => {
  it('drops those of a server, of a session, or all, and returns them to be revoked', async () => {
    const bench = await GrantBench.open();
    const { grants } = bench.process();
    const put = async (): Promise<void> => {
      for (const request of [requestOf('ada', 's1'), requestOf('ada', 's2'), requestOf('bob', 's3')])
        for (const server of ['notes', 'mail'])
          await grants.put(holderOf(RULES, request), server, bench.grant());
      await grants.put(holderOf(ADA, requestOf('ada', 's1')), 'notes', bench.grant());
    };
    const left = async (): Promise<number> => (await bench.vault.list('server-grant:')).length;
    await put();
    expect((await grants.dropServer('mail')).map(({ server }) => server)).deep.equal(Array(3).fill('mail'));
    expect(await left()).equal(4);
    await put();
    expect((await grants.dropSession('s1')).length).equal(2);
    expect(await left()).equal(5);
    await put();
    const dropped = await grants.dropAll();
    expect(dropped.map(({ grant }) => grant?.refreshToken)).deep.equal(Array(7).fill('refresh-0'));
    expect(await left()).equal(0);
  });

  it('drops what is dropped twice once', async () => {
    const bench = await GrantBench.open();
    const [one, two] = [bench.process('one'), bench.process('two')];
    await one.signIn(requestOf('ada', 's1'));
    const dropped = await Promise.all([one.grants.dropSession('s1'), two.grants.dropSession('s1')]);
    expect(dropped.flat().length).equal(1);
    expect([...one.news, ...two.news]).deep.equal(['granted', 'dropped']);
  });

  it('keeps a grant whose token never ends as long as it is read from time to time', async () => {
    const { later } = movableClock();
    const bench = await GrantBench.open();
    bench.endpoint.expiresIn = undefined;
    await bench.process('first').signIn();
    for (let year = 0; year < 3; year += 1) {
      later(365 * DAY_MS);
      expect(await bench.process(`year ${year}`).facts()).include({ state: 'valid' });
    }
    later(401 * DAY_MS);
    expect(await bench.process('last').facts()).include({ state: 'none' });
  });

  it('forgets that a link was given out once it is of no use', async () => {
    const { later } = movableClock();
    const bench = await GrantBench.open();
    const { grants } = bench.process();
    await grants.asked({ owner: 'local' }, 'notes', Date.now() + 600_000);
    expect((await bench.vault.list('server-grant:')).length).equal(1);
    later(601_000);
    expect((await bench.vault.list('server-grant:')).length).equal(0);
  });
});
