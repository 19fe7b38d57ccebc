import { BlockList, isIP } from 'node:net';

/** `public`: reachable from all of the Internet. `private` includes shared (100.64/10) and benchmark networks, which proxies use.
 *  `link-local` includes where clouds tell their hosts metadata and keys. `reserved`: no host has it, it leads to another address by a
 *  tunnel, or it is not an address. */
export type AddressClass = 'public' | 'loopback' | 'private' | 'link-local' | 'unspecified' | 'reserved';

type Networks = readonly (readonly [AddressClass, BlockList])[];

const IPV4 = networks('ipv4', {
  loopback: ['127.0.0.0/8'],
  // With those at which hosts of Azure and Alibaba Cloud ask for their metadata.
  'link-local': ['169.254.0.0/16', '168.63.129.16/32', '100.100.100.200/32'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15'],
  unspecified: ['0.0.0.0/32'],
  reserved: [
    ...['0.0.0.0/8', '192.0.0.0/24', '192.88.99.0/24', '224.0.0.0/4', '240.0.0.0/4'],
    ...['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'],
  ],
  public: ['0.0.0.0/0'],
});
/** Where AWS, Google Cloud, Scaleway, Oracle Cloud and Linode have such addresses of IPv6. */
const METADATA = ['fd00:ec2::/64', 'fd20:ce::/64', 'fd00:42::/64', 'fd00:c1::/64', 'fd00:a9fe:a9fe::/64'];
const IPV6 = networks('ipv6', {
  loopback: ['::1/128'],
  'link-local': ['fe80::/10', 'ff02::/16', ...METADATA],
  private: ['fc00::/7', 'fec0::/10'],
  unspecified: ['::/128'],
  // 2001::/23 includes Teredo, 2002::/16 is 6to4: tunnels to IPv4 addresses.
  reserved: ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
  public: ['2000::/3'],
});
/** The last 32 bits are the IPv4 address that is reached: IPv4-mapped, and NAT64 of the Internet, with which DNS64 answers. */
const BEFORE_IPV4 = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'];

/** Where an IP address leads. @param address IPv4 or IPv6 without brackets
 *  Source: RFC 6890 and IANA's registries of special-purpose addresses */
export function addressClass(address: string): AddressClass {
  const [plain = ''] = address.split('%');
  if (isIP(plain) === 0) return 'reserved';
  if (isIP(plain) === 4) return classIn(IPV4, plain, 'ipv4');
  const inner = ipv4In(plain);
  return inner === undefined ? classIn(IPV6, plain, 'ipv6') : classIn(IPV4, inner, 'ipv4');
}

/** The part of an IP address that tells its owners apart, as a key of limits: of IPv6 the first 64 bits, because each customer
 *  has as many addresses as the rest allows. Another text is returned as it is. */
export function addressOwner(address: string): string {
  const [plain = ''] = address.split('%');
  if (isIP(plain) !== 6) return address;
  return ipv4In(plain) ?? `${groupsOf(plain).slice(0, 4).join(':')}::/64`;
}

/** The networks in the order of the classes: the first that holds an address counts. */
function networks(
  family: 'ipv4' | 'ipv6',
  byClass: Partial<Readonly<Record<AddressClass, readonly string[]>>>,
): Networks {
  return Object.entries(byClass).map(([name, subnets]) => {
    const list = new BlockList();
    for (const subnet of subnets) {
      const [network = '', prefix] = subnet.split('/');
      list.addSubnet(network, Number(prefix), family);
    }
    return [name as AddressClass, list];
  });
}

function classIn(known: Networks, address: string, family: 'ipv4' | 'ipv6'): AddressClass {
  return known.find(([, list]) => list.check(address, family))?.[0] ?? 'reserved';
}

function ipv4In(ipv6: string): string | undefined {
  const groups = groupsOf(ipv6);
  if (!BEFORE_IPV4.includes(groups.slice(0, 6).join(':'))) return undefined;
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Its eight groups, in hexadecimal digits without leading zeros. */
function groupsOf(ipv6: string): readonly string[] {
  const [head, tail] = new URL(`http://[${ipv6}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':')));
  if (head === undefined || tail === undefined) return head ?? [];
  return [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
}
