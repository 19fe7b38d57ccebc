import type { JsonObject } from 'pegboard';

const UNUSED = ['id_token', 'expires_in'];

/** Members of a token endpoint's answer that are read strictly. What is not used need not be right: the id_token is not an identity
 *  here, and unsigned ones are common; so are members without a value. For `expires_in`, see tokenTimes(). Source: RFC 6749 §5.1 */
export function usedMembers(body: JsonObject): JsonObject {
  const isUsed = ([name, value]: [string, unknown]): boolean =>
    !UNUSED.includes(name) && value !== null && value !== '';
  return Object.fromEntries(Object.entries(body).filter(isUsed));
}
