export interface BridgeParts {
  readonly command: readonly string[];
  readonly key: Buffer;
  readonly maxSessions: number;
  readonly drainMs: number;
  /** Writes a line to the log of the pod. */
  readonly say: (line: string) => void;
}
