import type { Trust } from 'pegboard/net';
import { messageOf } from 'pegboard';
import type { Finding } from 'pegboard';
import { tlsTrusts } from './tlsTrust.ts';
import type { TlsFiles, TlsParts } from './tlsTrust.ts';

/** `aggregator.oauth.tls`, by host or host:port; each as schemas/tls.schema.json says. */
type TlsByHost = Readonly<Record<string, unknown>>;

/** `trust` of guardedFetch. Files are read again when they have changed. @param parts `hosts` that have certificates of their own */
export function fetchTrust({
  hosts = () => undefined,
  ...parts
}: TlsParts & { readonly hosts?: () => TlsByHost | undefined }): (url?: URL) => Trust {
  const trusts = tlsTrusts(parts);
  return (url) => {
    const known = hosts() ?? {};
    const name = namesOf(url).find((one) => Object.hasOwn(known, one)) ?? '';
    const { servername, ...files } = (known[name] ?? {}) as TlsFiles & { readonly servername?: string };
    const secureContext = trusts(files, `aggregator.oauth.tls.${name}`)();
    return { ...(secureContext && { secureContext }), ...(servername !== undefined && { servername }) };
  };
}

function namesOf(url: URL | undefined): readonly string[] {
  return url === undefined ? [] : [`${url.hostname}:${url.port || '443'}`, url.hostname];
}

/** Hosts whose files cannot be used, as `pegboard check` shows them. */
export function tlsFindings(hosts: TlsByHost = {}, directory: string): readonly Finding[] {
  const trust = fetchTrust({ extraCaFile: () => undefined, hosts: () => hosts, directory: () => directory });
  return Object.keys(hosts).flatMap((host): readonly Finding[] => {
    try {
      trust(new URL(`https://${host}`));
      return [];
    } catch (error) {
      const path = ['aggregator', 'oauth', 'tls', host];
      return [{ path, message: messageOf(error), severity: 'error' }];
    }
  });
}
