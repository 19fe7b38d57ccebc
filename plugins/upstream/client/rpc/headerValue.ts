/** Printable ASCII and tabs, without spaces at the ends, which HTTP removes. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;
const [START, END] = ['=?base64?', '?='];

/** The text as an HTTP header can hold it. Source: MCP 2026-07-28, Value Encoding */
export function headerValue(text: string): string {
  // Readers differ on whether the same question mark may end both.
  const looksEncoded = text.startsWith(START) && text.endsWith(END);
  if (PLAIN.test(text) && !looksEncoded) return text;
  return START + Buffer.from(text, 'utf8').toString('base64') + END;
}
