/** `clientId` as `client-Id`. */
export function spaced(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-');
}

/** The name of the value at a path: for an entry of a list, that of the list. */
export function nameOf(path: readonly (string | number)[]): string {
  return path.findLast((key) => typeof key === 'string') ?? '';
}
