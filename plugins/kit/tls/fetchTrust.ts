import type { Trust } from 'pegboard/net';
import { messageOf } from 'pegboard';
import type { Finding } from 'pegboard';
import type { GuardedServer } from '../../contracts/credentials.ts';
import type { TlsSpec } from '../../contracts/servers.ts';
import { tlsTrusts } from './tlsTrust.ts';
import type { TlsParts } from './tlsTrust.ts';

/** `aggregator.oauth.tls`, by host or host:port; each as schemas/tls.schema.json says. */
type TlsByHost = Readonly<Record<string, unknown>>;

type FetchParts = TlsParts & {
  readonly hosts?: () => TlsByHost | undefined;
  /** Servers whose definitions may have `tls`: it is for all that lies at their host, unless `hosts` has the host, or a team wrote it. */
  readonly servers?: () => readonly PlacedServer[];
};

type PlacedServer = Pick<GuardedServer, 'name' | 'url' | 'tls'> & {
  readonly auth?: Pick<GuardedServer['auth'], 'isFar'>;
};

/** `trust` of guardedFetch. Files are read again when they have changed. @param parts `hosts` that have certificates of their own */
export function fetchTrust({
  hosts = () => undefined,
  servers = () => [],
  ...parts
}: FetchParts): (url?: URL) => Trust {
  const trusts = tlsTrusts(parts);
  return (url) => {
    const known = hosts() ?? {};
    const name = namesOf(url).find((one) => Object.hasOwn(known, one));
    const server = name === undefined ? servers().find((one) => isAt(url, one)) : undefined;
    const { servername, ...files } = ((name === undefined ? server?.tls : known[name]) ?? {}) as TlsSpec;
    const place = server === undefined ? `aggregator.oauth.tls.${name ?? ''}` : `${server.name}: tls`;
    const secureContext = trusts(files, place)();
    return { ...(secureContext && { secureContext }), ...(servername !== undefined && { servername }) };
  };
}

function isAt(url: URL | undefined, server: PlacedServer): boolean {
  // A team may name the host of another server, or of an authorization server of all.
  if (server.auth?.isFar === true) return false;
  return server.tls !== undefined && url?.origin === new URL(server.url).origin;
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
