/** `clientId` as `client-Id`. */
export function spaced(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-');
}
