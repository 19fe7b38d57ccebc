import { isIPv6 } from 'node:net';
import { expect } from 'chai';
import fc from 'fast-check';
import { addressClass, addressOwner, type AddressClass } from '../../../../plugins/kit/net/addressClass.ts';
import { guardedFetch } from '../../../../plugins/kit/net/guardedFetch.ts';
import { isNearHost } from '../../../../plugins/kit/http/farLookup.ts';

/** The first and the last address of each network, and their neighbours outside. */
const TABLE: Readonly<Record<AddressClass, readonly string[]>> = {
  loopback: ['127.0.0.0', '127.0.0.1', '127.255.255.255', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'],
  private: [
    ...['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
    ...[
      '100.64.0.0',
      '100.100.100.199',
      '100.100.100.201',
      '100.127.255.255',
      '198.18.0.0',
      '198.19.255.255',
    ],
    ...['fc00::', 'fd00:ec1::254', 'fd00:ec2:0:1::', 'fd20:ce:0:1::', 'fdff::1', 'fec0::1', 'feff::1'],
    ...[
      '::ffff:10.0.0.1',
      '::FFFF:A00:1',
      '0:0:0:0:0:ffff:0a00:0001',
      '64:ff9b::10.0.0.1',
      '::ffff:100.64.0.1',
    ],
  ],
  'link-local': [
    ...['169.254.0.0', '169.254.169.254', '169.254.255.255', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe'],
    ...['fe80::1', 'fe80::1%eth0', 'febf::1', 'ff02::1'],
    ...['168.63.129.16', '::ffff:168.63.129.16', '64:ff9b::a83f:8110', '100.100.100.200', 'fd00:ec2::254'],
  ],
  unspecified: ['0.0.0.0', '::', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', '64:ff9b::'],
  reserved: [
    ...['0.0.0.1', '0.255.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '198.51.100.1', '203.0.113.1'],
    ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...[
      '::2',
      '::10.0.0.1',
      '::8.8.8.8',
      '::ffff:0:8.8.8.8',
      '64:ff9b:1::8.8.8.8',
      '64:ff9b::1:0:0',
      '100::1',
    ],
    ...['2001::1', '2001:0:4136:e378::1', '2001:2::1', '2001:1ff:ffff::', '2001:db8::1', '3fff::1'],
    ...[
      '2002:a00:1::',
      '2002:808:808::1',
      '1fff::1',
      '4000::1',
      '5f00::1',
      'ff05::1',
      'ff0e::1',
      '::ffff:203.0.113.9',
    ],
    ...['', 'localhost', '10.0.0', '010.0.0.1', '0x7f000001', '2130706433', '[::1]', '1.2.3.4.'],
  ],
  public: [
    ...[
      '1.0.0.0',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.0',
    ],
    ...[
      '169.253.255.255',
      '169.255.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '192.0.1.0',
      '192.167.255.255',
      '192.169.0.0',
    ],
    ...['198.17.255.255', '198.20.0.0', '223.255.255.255'],
    ...['2001:200::1', '2001:4860:4860::8888', '2a00:1450::1', '2003::1', '3ffe::1', '2606:4700::1'],
    ...['::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '64:ff9b::808:808'],
  ],
};

/** Where the host of a cloud asks for its metadata, its keys or its configuration, as the clouds document it. */
const METADATA: Readonly<Record<string, readonly string[]>> = {
  AWS: ['169.254.169.254', 'fd00:ec2::254'],
  'AWS, DNS and time': ['169.254.169.253', '169.254.169.123', 'fd00:ec2::253', 'fd00:ec2::123'],
  'AWS, containers of ECS and EKS': ['169.254.170.2', '169.254.170.23', 'fd00:ec2::23'],
  'Google Cloud': ['169.254.169.254', '169.254.169.252', 'fd20:ce::254'],
  Azure: ['169.254.169.254', '168.63.129.16'],
  'Alibaba Cloud': ['100.100.100.200'],
  'Oracle Cloud': ['169.254.169.254', '192.0.0.192', 'fd00:c1::a9fe:a9fe'],
  'Tencent Cloud': ['169.254.0.23'],
  Scaleway: ['169.254.42.42', 'fd00:42::42'],
  OpenStack: ['169.254.169.254', 'fe80::a9fe:a9fe'],
  'DigitalOcean, Hetzner, Vultr, Linode': ['169.254.169.254', '169.254.169.255', 'fd00:a9fe:a9fe::1'],
};

describe('lib: addressClass', () => {
  for (const [name, addresses] of Object.entries(TABLE)) {
    it(`gives ${name} for its networks, in every notation`, () => {
      const found = addresses.map((address) => `${address} ${addressClass(address)}`);
      expect(found).deep.equal(addresses.map((address) => `${address} ${name}`));
    });
  }

  it('gives an IPv4 address the same class inside an IPv6 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(addressClass(`::ffff:${address}`)).equal(addressClass(address));
        expect(addressClass(`64:ff9b::${address}`)).equal(addressClass(address));
      }),
    );
  });

  it('gives one class for all notations of an IPv6 address', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
        const long = groups.map((group) => group.toString(16).toUpperCase().padStart(4, '0')).join(':');
        expect(isIPv6(long)).equal(true);
        const short = new URL(`http://[${long}]`).hostname.slice(1, -1);
        expect(addressClass(short)).equal(addressClass(long));
      }),
    );
  });

  it('gives public for no IPv6 address outside 2000::/3, the mapped ones and NAT64', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
        const mayBe = /^[23][\da-f]{3}:|^::ffff:[^:]*:[^:]*$|^64:ff9b::/.test(text);
        if (!mayBe) expect(addressClass(address), text).not.equal('public');
      }),
    );
  });

  for (const [cloud, addresses] of Object.entries(METADATA))
    it(`gives public or private for no address of metadata: ${cloud}`, async () => {
      for (const address of addresses) {
        const url = `http://${address.includes(':') ? `[${address}]` : address}/latest/meta-data/`;
        expect(addressClass(address), address).match(/^(?:link-local|reserved)$/);
        expect(isNearHost(address), address).equal(true);
        const error: unknown = await guardedFetch({
          allowHttp: 'always',
          allowPrivate: false,
          timeoutMs: 1_000,
          maxBytes: 1,
        })(url).catch((refused: unknown) => refused);
        expect(error, address).include({ reason: 'private-address' });
      }
    });

  it('gives all addresses of one IPv6 network to one owner', () => {
    expect(addressOwner('203.0.113.9')).equal('203.0.113.9');
    expect(addressOwner('::ffff:203.0.113.9')).equal('203.0.113.9');
    for (const address of ['2001:db8:0:1::1', '2001:DB8:0:1:ffff::', '2001:db8:0000:1:1:2:3:4%eth0'])
      expect(addressOwner(address)).equal('2001:db8:0:1::/64');
    expect(addressOwner('2001:db8:0:2::1')).equal('2001:db8:0:2::/64');
    expect(addressOwner('::1')).equal('0:0:0:0::/64');
    expect(addressOwner('unknown')).equal('unknown');
  });
});
