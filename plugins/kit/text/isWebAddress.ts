/** Only http and https: other schemes (javascript:, file:) must not reach a user as a link. */
export function isWebAddress(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
