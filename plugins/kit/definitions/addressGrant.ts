import { isIP } from 'node:net';

/** A range of addresses with a port, which a rule of a network can name. */
export interface AddressGrant extends AddressRange {
  readonly port: number;
}
export interface AddressRange {
  /** In its usual form, with no bits behind the prefix. */
  readonly cidr: string;
  readonly version: 4 | 6;
  readonly bits: number;
  readonly value: bigint;
}

const WITH_PORT = /^(?:([\d.]+(?:\/\d{1,2})?)|\[([\da-f:]+(?:\/\d{1,3})?)\]):(\d{1,5})$/i;

/** Reads `10.0.0.7:5432`, `10.0.0.0/24:5432`, `[fd00::7]:443` or `[fd00::/64]:443`. @returns undefined if it is nothing of these */
export function readAddressGrant(text: string): AddressGrant | undefined {
  const [, v4, v6, digits = ''] = WITH_PORT.exec(text) ?? [];
  const range = rangeIn(v4 ?? v6 ?? '');
  const port = Number(digits);
  return range === undefined || port < 1 || port > 65_535 ? undefined : { ...range, port };
}

/** Reads an address with or without `/bits`. */
export function rangeIn(text: string): AddressRange | undefined {
  const [address = '', digits] = text.split('/');
  const version = isIP(address);
  if (version !== 4 && version !== 6) return undefined;
  const width = version === 4 ? 32 : 128;
  const bits = digits === undefined ? width : Number(digits);
  if (bits > width) return undefined;
  const rest = BigInt(width - bits);
  const value = (numberOf(address, version) >> rest) << rest;
  return { cidr: `${addressOf(value, version)}/${bits}`, version, bits, value };
}

/** Addresses at which clouds give the credentials of a node to each program that asks, and those of the link, as `addressClass` knows them;
 *  those of IPv4 also as NAT64 reaches them. A rule that names IPv4 as IPv6 holds nowhere. */
export const NODES_OWN = [
  ...['169.254.0.0/16', '168.63.129.16/32', '100.100.100.200/32'],
  ...['64:ff9b::a9fe:0/112', '64:ff9b::a83f:8110/128', '64:ff9b::6464:64c8/128'],
  ...['fe80::/10', 'fd00:ec2::/64', 'fd20:ce::/64', 'fd00:42::/64', 'fd00:c1::/64', 'fd00:a9fe:a9fe::/64'],
] as const;
const MAPPED = ['::ffff:0:0/96', '::/96'];
const NAMES_PORT = 53;

/** Whether a pod may be granted it. The resolver of a node may be at an address of its link. */
export function isForPods(grant: AddressGrant): boolean {
  const within = (text: string): boolean => {
    const outer = rangeIn(text);
    return outer !== undefined && isInRange(grant, outer);
  };
  return !MAPPED.some(within) && (grant.port === NAMES_PORT || !NODES_OWN.some(within));
}

/** Whether all of `inner` is in `outer`. */
export function isInRange(inner: AddressRange, outer: AddressRange): boolean {
  if (inner.version !== outer.version || inner.bits < outer.bits) return false;
  const rest = BigInt((outer.version === 4 ? 32 : 128) - outer.bits);
  return inner.value >> rest === outer.value >> rest;
}

function numberOf(address: string, version: 4 | 6): bigint {
  const parts = version === 4 ? address.split('.').map(Number) : groupsOf(address);
  const size = version === 4 ? 8n : 16n;
  return parts.reduce((sum, part) => (sum << size) | BigInt(part), 0n);
}

function groupsOf(address: string): readonly number[] {
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [front = [], back = []] = plain.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(8 - front.length - back.length).fill('0');
  return [...front, ...zeros, ...back].map((group) => Number.parseInt(group, 16));
}

function addressOf(value: bigint, version: 4 | 6): string {
  const [count, size, mask] = version === 4 ? [4, 8n, 0xffn] : [8, 16n, 0xffffn];
  const parts = Array.from({ length: count }, (_, at) => (value >> (size * BigInt(count - 1 - at))) & mask);
  if (version === 4) return parts.join('.');
  return new URL(`http://[${parts.map((part) => part.toString(16)).join(':')}]`).hostname.slice(1, -1);
}
