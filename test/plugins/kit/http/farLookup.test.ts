import { expect } from 'chai';
import { farLookup, isNearHost } from '../../../../plugins/kit/http/farLookup.ts';

describe('hosts that lead to this machine', () => {
  it('are known by their names and addresses', () => {
    for (const host of [
      'localhost',
      'a.localhost',
      '127.9.9.9',
      '::1',
      '::ffff:127.0.0.1',
      '0.0.0.0',
      '169.254.1.1',
    ])
      expect(isNearHost(host), host).equal(true);
    for (const host of ['mcp.example', '10.0.0.1', '192.0.0.1.example', 'fd00::1'])
      expect(isNearHost(host), host).equal(false);
  });

  it('are found by no lookup for others, whether it asks for one address or for all', async () => {
    for (const all of [true, false]) {
      const error = await new Promise<Error | null>((done) => farLookup('localhost', { all }, done));
      expect(error?.message).match(
        /^localhost leads to (127\.0\.0\.1|::1), the gateway's own machine or its link$/,
      );
    }
    const lost = await new Promise<NodeJS.ErrnoException | null>((done) =>
      farLookup('host.invalid', { all: true }, done),
    );
    expect(lost?.code).match(/ENOTFOUND|EAI_AGAIN/);
  });
});
