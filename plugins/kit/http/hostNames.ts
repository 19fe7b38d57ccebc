import { isIP } from 'node:net';

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
export const LOOPBACK_ADDRESSES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);

/** Whether clients may call a listener so. DNS rebinding needs a name, so a listener that is bound beyond this machine also
 *  has each address. @param allowedHosts further names, in any case */
export function hostNames(
  bindAddress: string,
  allowedHosts: readonly string[],
): (name: string | undefined) => boolean {
  const names = new Set([...LOOPBACK, ...[bindAddress, ...allowedHosts].map((name) => name.toLowerCase())]);
  const isWide = !LOOPBACK_ADDRESSES.has(bindAddress);
  return (name) => name !== undefined && (names.has(name) || (isWide && isAddress(name)));
}

/** `Host` without its port, lower case; undefined when it is not a plain authority. */
export function hostName(host: string | undefined): string | undefined {
  return /^(\[[0-9a-fA-F:.]+\]|[^\s:/@[\]]+)(:\d{1,5})?$/.exec(host ?? '')?.[1]?.toLowerCase();
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}
