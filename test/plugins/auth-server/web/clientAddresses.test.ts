import { expect } from 'chai';
import { startAuthServer } from '../../../support/authServer.ts';
import type { AuthServer } from '../../../support/authServer.ts';
import type { LogRecord } from '../../../support/log.ts';

const LIMITS = { perAddress: 3, perClient: 100, perPerson: 100, logLines: 1_000 };
const KEY = 'aggregator.oauth.server.trustedProxyCIDRs';

describe('auth-server: people behind a proxy', () => {
  let auth: AuthServer;
  beforeEach(async () => {
    auth = await startAuthServer({ config: { rateLimits: LIMITS } });
  });
  const warnings = (): readonly LogRecord[] =>
    auth.gateway.log.having('forwarded headers are not believed', 'warn');
  const refused = (reason: string): readonly LogRecord['data'][] =>
    auth.gateway.log.records.map(({ data }) => data).filter((data) => data['reason'] === reason);
  /** Statuses of twelve people who come at once, each with the header that the proxy sets for them. */
  const comeAll = (headersOf: (at: number) => Record<string, string>, path = '/mcp'): Promise<number[]> =>
    Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const answer = await fetch(auth.base + path, { method: 'POST', headers: headersOf(at) });
        await answer.text();
        return answer.status;
      }),
    );

  it('share one limit if it is not trusted, which one warning and each line about the limit say, with the key to set', async () => {
    expect(await comeAll((at) => ({ 'x-forwarded-for': `198.51.100.${at}` }))).include(429);
    expect(await comeAll((at) => ({ forwarded: `for=198.51.100.${at}` }), '/oauth/token')).include(429);
    expect(warnings()).length(1);
    const peer = warnings()[0]?.data['peer'];
    expect(peer).match(/^(127\.0\.0\.1|::1)$/);
    expect(warnings()[0]?.data['fix']).include(KEY);
    for (const reason of ['too-many-refused', 'rate-limit-exceeded']) {
      const lines = refused(reason);
      expect(lines, reason).not.deep.equal([]);
      for (const line of lines) expect(line['fix'], reason).include(KEY);
    }
  });

  it('hear nothing of a proxy when there is none', async () => {
    expect(await comeAll(() => ({}))).include(429);
    expect(warnings()).deep.equal([]);
    expect(refused('too-many-refused')[0]).not.include.keys('fix');
  });

  for (const [name, headersOf] of Object.entries({
    'X-Forwarded-For': (at: number) => ({ 'x-forwarded-for': `198.51.100.${at}` }),
    Forwarded: (at: number) => ({ forwarded: `for=6.6.6.6, for="198.51.100.${at}:4711";proto=https` }),
  }))
    it(`have limits of their own once it is trusted, by ${name}`, async () => {
      await auth.configureServer({ trustedProxyCIDRs: ['127.0.0.0/8', '::1/128'] });
      expect(new Set(await comeAll(headersOf))).deep.equal(new Set([401]));
      expect(warnings()).deep.equal([]);
    });

  it('are counted as the proxy if X-Forwarded-For and Forwarded disagree, so that no client chooses an address', async () => {
    await auth.configureServer({ trustedProxyCIDRs: ['127.0.0.0/8', '::1/128'] });
    const spoof = (at: number) => ({ 'x-forwarded-for': '198.51.100.1', forwarded: `for=203.0.113.${at}` });
    expect(await comeAll(spoof)).include(429);
    expect(warnings()).length(1);
    expect(warnings()[0]?.data['fix']).include('X-Forwarded-* and Forwarded');
    expect(await comeAll((at) => ({ 'x-forwarded-for': `198.51.100.${at}` }))).not.include(429);
  });

  it('have a new warning after the list of trusted proxies has changed', async () => {
    await comeAll(() => ({ 'x-forwarded-for': '198.51.100.1' }));
    await auth.configureServer({ trustedProxyCIDRs: ['10.0.0.0/8'] });
    await comeAll(() => ({ 'x-forwarded-for': '198.51.100.1' }));
    expect(warnings()).length(2);
  });
});
