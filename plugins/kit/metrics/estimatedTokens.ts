/** Bytes of JSON for one token of a model, as an estimate. */
export const BYTES_PER_TOKEN = 4;

/** What so many bytes of JSON take of an agent's context. */
export function estimatedTokens(bytes: number): number {
  return Math.round(bytes / BYTES_PER_TOKEN);
}
