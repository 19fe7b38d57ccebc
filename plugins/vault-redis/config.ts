// Generated from schemas/config/vault-redis.schema.json by npm run tables.
export interface VaultRedisConfig {
  /** redis://[user:password@]host[:port][/database], with TLS rediss://…; a list names the nodes of a cluster,
   *  or the sentinels. */
  readonly url: string | readonly string[];
  /** User of the access control list; instead of the one in the url. */
  readonly username?: string;
  /** Instead of the one in the url; better ${env:…} or ${file:…} than the text itself. */
  readonly password?: string;
  /** Name of the master that the sentinels of url watch. */
  readonly sentinelMaster?: string;
  /** User of the sentinels, where they have an access control list. */
  readonly sentinelUsername?: string;
  /** Password of the sentinels, often the same as that of Redis; better ${env:…} or ${file:…} than the text
   *  itself. */
  readonly sentinelPassword?: string;
  /** Whether url names nodes of a cluster. */
  readonly cluster: boolean;
  /** Certificates (PEM) of authorities to trust beside the known ones: ${file:redis-ca.pem}. */
  readonly ca?: string;
  /** Certificate of this client (PEM), where Redis asks for one: ${file:redis-client.pem}; with key. */
  readonly cert?: string;
  /** Private key of cert (PEM): ${file:redis-client-key.pem}. */
  readonly key?: string;
  /** Name that the server's certificate must hold; default: the host of url. */
  readonly serverName?: string;
  /** One secret for all processes, at least 32 characters: ${env:…} or ${file:…}. They make their keys and keep
   *  them in Redis, sealed under it. To change it, a list: the former one first, after a restart of all
   *  processes the new one. */
  readonly secret?: string | readonly string[];
  /** Begins every key and channel, so that one Redis can serve other applications. */
  readonly keyPrefix: string;
  /** An operation that takes longer fails. */
  readonly timeoutMs: number;
  /** Time after which it is verified again that Redis can be used, and holds the keys of all processes; after a
   *  new connection it is at once. */
  readonly verifyMs: number;
  /** Bound on the bytes of one value as JSON. */
  readonly maxValueBytes: number;
}
