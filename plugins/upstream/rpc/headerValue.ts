/** Printable ASCII and tabs, without spaces at the ends, which HTTP removes. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;
const ENCODED = /^=\?base64\?.*\?=$/;

/** The text as an HTTP header can hold it. Source: MCP 2026-07-28, Value Encoding */
export function headerValue(text: string): string {
  if (PLAIN.test(text) && !ENCODED.test(text)) return text;
  return `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
