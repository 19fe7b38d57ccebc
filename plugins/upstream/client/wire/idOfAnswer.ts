/** How many characters at the end may hold the id. */
const END_CHARS = 256;

/** The member `id` of an answer stands before its result, or at its end. Requests of the server have ids of their own: they must not match. */
const BEGINS_WITH_ID =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*"?(\d{1,16})"?\s*,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"\s*:/;
const IS_ANSWER = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"\s*:/;
const ENDS_WITH_ID = /,\s*"id"\s*:\s*"?(\d{1,16})"?\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** The id of an answer that cannot be parsed, because it was not read as a whole or is not JSON. @param text its first and last characters at least */
export function idOfAnswer(text: string): number | undefined {
  const [, id] =
    BEGINS_WITH_ID.exec(text) ??
    (IS_ANSWER.test(text) ? ENDS_WITH_ID.exec(text.slice(-END_CHARS)) : undefined) ??
    [];
  return id === undefined ? undefined : Number(id);
}
