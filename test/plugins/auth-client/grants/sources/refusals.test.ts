import { expect } from 'chai';
import { refusalOf } from '../../../../support/kernel.ts';
import { movableClock } from '../../../../support/clock.ts';
import { GrantBench } from '../grantBench.ts';
import type { GrantProcess } from '../grantBench.ts';
import { used } from '../used.ts';

const WIDER = 'Bearer error="insufficient_scope", scope="read write admin"';

describe('auth-client: refusals of a server', () => {
  let bench: GrantBench;
  let process: GrantProcess;
  beforeEach(async () => {
    bench = await GrantBench.open();
    process = bench.process();
    await process.signIn();
    await used(process);
  });
  const refused = (status: 401 | 403, challenges: readonly string[] = []): Promise<boolean> => {
    const credential = process.credential();
    return credential.refused({ status, challenges, headers: credential.headers });
  };

  it('cause one refresh, and the call is repeated with the new token', async () => {
    expect(await refused(401)).equal(true);
    expect(await used(process)).equal('Bearer access-1');
  });

  it('of an old token cause none', async () => {
    const credential = process.credential();
    const { headers } = credential;
    const answers = [1, 2, 3].map(() => credential.refused({ status: 401, challenges: [], headers }));
    expect(await Promise.all(answers)).deep.equal([true, true, true]);
    expect(await credential.refused({ status: 401, challenges: [], headers })).equal(true);
    expect(bench.endpoint.requests.length).equal(1);
  });

  it('of the fresh token too lose the grant: no more requests, one log line', async () => {
    expect(await refused(401)).equal(true);
    expect(await refused(401)).equal(false);
    expect(process.credential().fault.message).include('refuses the new tokens');
    for (let times = 0; times < 3; times += 1)
      expect((await refusalOf(() => used(process))).message).include('refuses the new tokens');
    expect(await refused(401)).equal(false);
    expect(bench.endpoint.requests.length).equal(1);
    expect(process.log.having('', 'warn').length).equal(1);
  });

  it('of a token that was accepted for a while cause another refresh', async () => {
    const { later } = movableClock();
    expect(await refused(401)).equal(true);
    later(120_000);
    expect(await refused(401)).equal(true);
    expect(await used(process)).equal('Bearer access-2');
  });

  it('of a grant that cannot be refreshed lose it', async () => {
    await process.signIn(undefined, { refreshToken: undefined });
    expect(await refused(401)).equal(false);
    expect(await process.facts()).include({ state: 'lost' });
  });

  it('for want of scopes keep the grant, and name the missing ones with the cure', async () => {
    expect(await refused(403, [WIDER])).equal(false);
    const { fault } = process.credential();
    expect(fault.code).equal('UPSTREAM_AUTH_REQUIRED');
    expect(fault.message).include('your grant lacks the scopes write admin').and.include('core_auth_login');
    expect(fault.details).deep.include({ missingScopes: ['write', 'admin'], signInAt: 'notes' });
    expect(await process.facts()).deep.include({ state: 'valid', missingScopes: ['write', 'admin'] });
    expect(await used(process)).equal('Bearer access-0');
    expect(bench.endpoint.requests).deep.equal([]);
  });

  it('for want of scopes are reported once, and forgotten with the next sign-in', async () => {
    await refused(403, [WIDER]);
    await refused(403, [WIDER]);
    await refused(403, ['Bearer error="insufficient_scope", scope="delete"']);
    expect(
      process.events.filter(({ type }) => type === 'grant.stepUp').map(({ scopes }) => scopes),
    ).deep.equal(['write admin', 'write admin delete']);
    await process.signIn(undefined, { scope: 'read write admin delete' });
    expect(await process.facts()).not.have.property('missingScopes');
  });

  it('with 403 for another reason change nothing', async () => {
    expect(await refused(403, ['Bearer error="invalid_request"'])).equal(false);
    expect(process.news).deep.equal(['granted']);
  });

  it('for a thousand scopes are recorded within bounds', async () => {
    const scopes = Array.from({ length: 1_000 }, (_, at) => `s${at}`).join(' ');
    for (let times = 0; times < 2; times += 1)
      await refused(403, [`Bearer error="insufficient_scope", scope="${scopes}"`]);
    expect((await process.facts()).missingScopes?.length).equal(100);
    expect(process.news).deep.equal(['granted', 'stepUp']);
  });
});
