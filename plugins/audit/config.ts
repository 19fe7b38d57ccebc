// Generated from schemas/config/audit.schema.json by npm run tables.
export interface AuditConfig {
  /** Where the trail is written; relative to the configuration directory. One process writes it. */
  readonly directory: string;
  /** A file that would grow beyond this is followed by the next one, in which the chain continues. */
  readonly maxFileBytes: number;
  /** A checkpoint is written after so many lines, and with every start and stop. It is synced to disk, and
   *  signed when there is a key. */
  readonly checkpointLines: number;
  /** PEM file of an Ed25519 private key that signs checkpoints; relative to the configuration directory.
   *  Without one nothing is signed. */
  readonly signingKeyFile?: string;
  /** PEM files of further Ed25519 public keys whose signatures hold: former keys, and on a machine that only
   *  verifies the present one. */
  readonly trustedKeyFiles: readonly string[];
  /** What happens to a call that cannot be recorded: refuse it, or let it run and log an error. */
  readonly onFailure: 'refuse' | 'continue';
  /** A line that is not written within this time counts as a failure. */
  readonly writeTimeoutMs: number;
  /** Lines that may wait for the disk; one more is a failure. */
  readonly maxPendingLines: number;
  /** Time after a line within which the trail is synced and its end is noted in the vault; what is cut off
   *  after a crash is noticed up to there. */
  readonly headMs: number;
}
