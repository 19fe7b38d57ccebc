import { BlockList, isIP } from 'node:net';

/** Whether a host and port are reached without a proxy. @param host as hostOf() returns it */
export type NoProxy = (host: string, port: number) => boolean;

/** Reads what NO_PROXY holds: hosts, which include what is below them, also as `.suffix` or `*.suffix`; addresses, CIDR
 *  networks, `*`; each with a port or without. Addresses are compared with hosts that are addresses: nothing is resolved. */
export function noProxy(entries: readonly string[]): NoProxy {
  const rules = entries.map(ruleOf);
  return (host, port) => rules.some((rule) => rule(host.toLowerCase(), port));
}

function ruleOf(entry: string): NoProxy {
  const [, bracketed, plain = '', port] = /^(?:\[(.*?)\]|(.*?))(?::(\d+))?$/.exec(ipv6In(entry)) ?? [];
  const matches = hostRule((bracketed ?? plain).toLowerCase());
  return (host, at) => (port === undefined || Number(port) === at) && matches(host);
}

/** An address of IPv6 without brackets has no port. */
function ipv6In(entry: string): string {
  const [address = '', prefix] = entry.split('/');
  return isIP(address) === 6 ? `[${address}${prefix === undefined ? '' : `/${prefix}`}]` : entry;
}

function hostRule(pattern: string): (host: string) => boolean {
  if (pattern === '*') return () => true;
  const [address = '', prefix] = pattern.split('/');
  const family = isIP(address);
  if (family > 0) {
    const list = new BlockList();
    const bits = family === 4 ? 32 : 128;
    const length = prefix === undefined ? bits : Number(prefix);
    if (!(length >= 0 && length <= bits)) return () => false;
    list.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6');
    return (host) => isIP(host) > 0 && list.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
  }
  const name = pattern.replace(/^\*?\.|\.$/g, '');
  return (host) => name !== '' && (host === name || host.endsWith(`.${name}`));
}
