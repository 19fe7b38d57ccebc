import { expect } from 'chai';
import { isInRange, rangeIn, readAddressGrant } from '../../../../plugins/kit/definitions/addressGrant.ts';

describe('an address with a port, as a grant', () => {
  it('is read in its usual form, without bits behind the prefix', () => {
    for (const [text, cidr, port] of [
      ['10.0.0.7:5432', '10.0.0.7/32', 5432],
      ['10.1.2.3/8:443', '10.0.0.0/8', 443],
      ['0.0.0.0/0:1', '0.0.0.0/0', 1],
      ['[FD00:0:0::7]:443', 'fd00::7/128', 443],
      ['[2001:db8:1:2:3:4:5:6/33]:65535', '2001:db8::/33', 65_535],
      ['[::/0]:443', '::/0', 443],
      ['[1:2:3:4:5:6:7:8]:9', '1:2:3:4:5:6:7:8/128', 9],
    ] as const)
      expect(readAddressGrant(text), text).include({ cidr, port });
  });

  it('is nothing else', () => {
    for (const text of [
      ...[
        '',
        '10.0.0.7',
        '10.0.0.7:0',
        '10.0.0.7:65536',
        '10.0.0.0/33:1',
        '010.0.0.7:1',
        '10.0.7:1',
        'a.b:1',
      ],
      ...['fd00::7:443', '[fd00::7]', '[fd00::/129]:1', '[10.0.0.7]:1', '10.0.0.0/8', '[::ffff:10.0.0.7]:1'],
      ...['10.0.0.0/8/8:1', ' 10.0.0.7:1', '[fe80::1%eth0]:1'],
    ])
      expect(readAddressGrant(text), text).equal(undefined);
  });

  it('is in a range of its own kind that holds all of it', () => {
    const isIn = (inner: string, outer: string): boolean => {
      const [one, other] = [rangeIn(inner), rangeIn(outer)];
      return one !== undefined && other !== undefined && isInRange(one, other);
    };
    expect(isIn('10.0.0.7', '10.0.0.0/8')).equal(true);
    expect(isIn('10.0.0.0/8', '10.0.0.7')).equal(false);
    expect(isIn('11.0.0.7', '10.0.0.0/8')).equal(false);
    expect(isIn('fe80::1', 'fe80::/10')).equal(true);
    expect(isIn('0.0.0.1', '::/0')).equal(false);
  });
});
