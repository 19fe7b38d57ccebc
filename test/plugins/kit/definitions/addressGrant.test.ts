import { expect } from 'chai';
import {
  NODES_OWN,
  isForPods,
  isInRange,
  rangeIn,
  readAddressGrant,
} from '../../../../plugins/kit/definitions/addressGrant.ts';
import { addressClass } from '../../../../plugins/kit/net/addressClass.ts';

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

  it('is for no pod where clouds hand out the credentials of a node', () => {
    for (const address of [
      ...['169.254.169.254', '169.254.170.23', '168.63.129.16', '100.100.100.200', 'fe80::a9fe:a9fe'],
      ...['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:42::42', 'fd00:c1::a9fe:a9fe'],
      ...['fd00:a9fe:a9fe::1', '64:ff9b::a9fe:a9fe', '64:ff9b::a83f:8110', '64:ff9b::6464:64c8'],
    ]) {
      expect(addressClass(address), address).equal('link-local');
      const text = address.includes(':') ? `[${address}]` : address;
      const [web, names] = [80, 53].map((port) => readAddressGrant(`${text}:${port}`));
      expect([web && isForPods(web), names && isForPods(names)], address).deep.equal([false, true]);
    }
    for (const text of NODES_OWN) {
      expect(addressClass(text.split('/')[0] ?? ''), text).equal('link-local');
      expect(rangeIn(text), text).include({ cidr: text });
    }
  });
});
