/** Newest first. */
export const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** What the server answers to the revision a client asks for: the same when it knows it, else its newest. */
export function negotiate(asked: unknown): string {
  return REVISIONS.find((revision) => revision === asked) ?? REVISIONS[0];
}

/** Batches came with 2025-03-26 and went with 2025-06-18; before that JSON-RPC's own were allowed. */
export function hasBatches(revision: string): boolean {
  return revision === '2025-03-26' || revision === '2024-11-05';
}
