import { BlockList, isIP } from 'node:net';
import type { Finding } from 'pegboard';

/** Ranges of addresses; entries that rangeFindings reports hold no address. */
export function addressRanges(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const { address, bits, version } of cidrs.flatMap((cidr) => rangeOf(cidr) ?? []))
    list.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6');
  return list;
}

/** Entries that are not ranges of addresses, for a setting that lists them. @param path where the list is, below the plugin's configuration */
export function rangeFindings(cidrs: readonly string[], path: Finding['path']): readonly Finding[] {
  return cidrs.flatMap((cidr, at) =>
    rangeOf(cidr) === undefined
      ? [{ path: [...path, at], message: `${JSON.stringify(cidr)} is not a CIDR; ${fixOf(cidr)}` }]
      : [],
  );
}

interface Range {
  readonly address: string;
  readonly bits: number;
  readonly version: 4 | 6;
}

/** Source: RFC 4632 §3.1, RFC 4291 §2.3 */
function rangeOf(cidr: string): Range | undefined {
  const [, address = '', digits = ''] = /^([\da-f:.]+)\/(\d{1,3})$/i.exec(cidr) ?? [];
  const version = isIP(address);
  const bits = Number(digits);
  if (version === 4) return bits <= 32 ? { address, bits, version } : undefined;
  return version === 6 && bits <= 128 ? { address, bits, version } : undefined;
}

function fixOf(text: string): string {
  const version = isIP(text);
  if (version === 0) return 'write an address and a number of bits, as 10.0.0.0/8 or fd00::/8';
  return `for this address alone write ${text}/${version === 4 ? 32 : 128}`;
}
