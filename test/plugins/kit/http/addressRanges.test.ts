import { expect } from 'chai';
import { addressRanges, rangeFindings } from '../../../../plugins/kit/http/addressRanges.ts';

describe('http: ranges of addresses', () => {
  it('reports every entry that is not a CIDR, with its place and the fix', () => {
    const cidrs = [
      '10.0.0.0/8',
      '10.0.0.1',
      'fd00::1',
      '10.0.0.0/33',
      'fd00::/129',
      '10.0/8',
      'proxy.local',
      '',
    ];
    const found = rangeFindings(cidrs, ['aggregator', 'trustedProxyCIDRs']);
    expect(found.map(({ path }) => path.at(-1))).deep.equal([1, 2, 3, 4, 5, 6, 7]);
    expect(found[0]).deep.equal({
      path: ['aggregator', 'trustedProxyCIDRs', 1],
      message: '"10.0.0.1" is not a CIDR; for this address alone write 10.0.0.1/32',
    });
    expect(found[1]?.message).contain('fd00::1/128');
    expect(found[5]?.message).equal(
      '"proxy.local" is not a CIDR; write an address and a number of bits, as 10.0.0.0/8 or fd00::/8',
    );
    expect(addressRanges(cidrs).check('10.0.0.1')).equal(true);
  });
});
