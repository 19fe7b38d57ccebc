import { expect } from 'chai';
import { startAuthServer } from '../../../support/authServer.ts';
import type { AuthServer } from '../../../support/authServer.ts';
import { send } from '../../../support/rawHttp.ts';

const LIMITS = { perAddress: 4, perPerson: 4, logLines: 1 };

describe('auth-server: too many requests', () => {
  let auth: AuthServer;
  let access: string;
  before(async () => {
    auth = await startAuthServer({ config: { rateLimits: LIMITS } });
    ({ access } = await auth.tokens());
  });
  const linesOf = (reason: string): readonly (readonly [string, unknown])[] =>
    auth.gateway.log.records
      .filter(({ data }) => data['reason'] === reason)
      .map(({ text, data }) => [text, data]);

  it('are answered 429, for an address and for a person', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 12; count += 1) statuses.push((await auth.mcp(access)).status);
    expect(new Set(statuses)).deep.equal(new Set([200, 429]));
    const limited = await send(`${auth.base}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access}` },
    });
    expect(limited.status).equal(429);
    expect(Number(limited.headers['retry-after'])).within(1, 2);
    const refused = await Promise.all(Array.from({ length: 12 }, () => auth.mcp('garbage')));
    expect(new Set(refused.map(({ status }) => status))).deep.equal(new Set([401, 429]));
  });

  it('have one line a minute for each address and reason, which names the sign-in of a person', () => {
    const [ofPerson, ...others] = linesOf('too-many-of-person');
    expect(others).deep.equal([]);
    expect(ofPerson?.[0]).equal('request refused: too many requests');
    expect(ofPerson?.[1]).include.keys('address', 'request', 'signIn').and.include({ path: '/mcp' });
    expect(linesOf('too-many-refused')).length(1);
    expect(JSON.stringify(auth.gateway.log.records)).not.include(access);
  });

  it('are counted in a line when the gateway stops', async () => {
    await auth.gateway.kernel.stop();
    const [line, ...others] = auth.gateway.log.having('left out of the log');
    expect(others).deep.equal([]);
    expect(line?.data['lines']).above(1);
  });
});
