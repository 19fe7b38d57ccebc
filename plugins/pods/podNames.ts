import { createHash, createHmac } from 'node:crypto';

/** The label of all objects of a server. */
export const SERVER_LABEL = 'pegboard.dev/server';
export const MANAGED = { 'app.kubernetes.io/managed-by': 'pegboard-pods' } as const;
export const SELECTOR = 'app.kubernetes.io/managed-by=pegboard-pods';

const LONGEST = 40;
/** Fewer could be met by trying names. */
const HASH_DIGITS = 20;
const LIKE_HASHED = /-[0-9a-f]{20}$/;

/** The name of a server's objects: a DNS label of at most 49 characters. Names that are long, have dots, or end as if they had a hash,
 *  get one: no name that a person chooses is that of another server's objects. */
export function objectName(server: string): string {
  if (server.length <= LONGEST && /^[a-z0-9-]*[a-z0-9]$/.test(server) && !LIKE_HASHED.test(server))
    return `mcp-${server}`;
  const hash = createHash('sha256').update(server).digest('hex').slice(0, HASH_DIGITS);
  return `mcp-${server
    .slice(0, LONGEST - HASH_DIGITS - 1)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '-')}-${hash}`;
}

/** What no other server's pods are selected by. */
export function labelOf(server: string): string {
  return objectName(server);
}

export interface KeyParts {
  readonly namespace: string;
  readonly server: string;
  /** That of the definition's object: one of the same name that comes later has another key. */
  readonly uid: string;
}

/** The key of a server's bridge: all replicas derive the same, and none has to read it from the cluster.
 *  @param secret the key that all replicas share */
export function bridgeKey(secret: Buffer, { namespace, server, uid }: KeyParts): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify(['pod bridge', namespace, server, uid]))
    .digest();
}

/** A Secret cannot be listed without being read, so its name is one that no other writer can know beforehand. */
export function secretName(server: string, key: Buffer): string {
  return `${objectName(server)}-${createHmac('sha256', key).update('name').digest('hex').slice(0, 12)}`;
}
