import type { JsonObject } from 'pegboard';

/** Members of a token endpoint's answer that count. What is not used need not be right: the id_token is not an identity here, and
 *  unsigned ones are common; so are members without a value, and unreadable times. Source: RFC 6749 §5.1 */
export function usedMembers(body: JsonObject): JsonObject {
  const isUsed = ([name, value]: [string, unknown]): boolean =>
    name !== 'id_token' && value !== null && value !== '' && (name !== 'expires_in' || Number(value) >= 0);
  return Object.fromEntries(Object.entries(body).filter(isUsed));
}
