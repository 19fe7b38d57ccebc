/** `plugins.vault-redis.config`. */
export interface VaultRedisConfig {
  readonly url: string | readonly string[];
  readonly username?: string;
  readonly password?: string;
  readonly sentinelMaster?: string;
  /** The first one seals the keys that Redis keeps, each opens them. */
  readonly secret?: string | readonly string[];
  readonly cluster: boolean;
  readonly ca?: string;
  readonly serverName?: string;
  readonly keyPrefix: string;
  readonly timeoutMs: number;
  readonly maxValueBytes: number;
}
