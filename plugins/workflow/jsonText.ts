/** JSON.stringify recurses: @returns undefined for values whose some thousand levels overflow its stack */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value ?? null);
  } catch {
    return undefined;
  }
}
