/** Newest first. */
export const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** Returns the revision that the client requests if it is supported, else the newest. */
export function negotiatedRevision(asked: unknown): string {
  return REVISIONS.find((revision) => revision === asked) ?? REVISIONS[0];
}

/** Batches were added in 2025-03-26 and removed in 2025-06-18; 2024-11-05 allowed those of JSON-RPC. */
export function hasBatches(revision: string): boolean {
  return revision === '2025-03-26' || revision === '2024-11-05';
}
