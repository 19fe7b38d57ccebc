import { UnsupportedOperationError } from 'oauth4webapi';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { jsonIn } from '../../../kit/text/jsonIn.ts';

const UNUSED = ['id_token', 'expires_in'];
const BEARER = /^bearer$/i;
const BOUND = /^dpop$/i;
const NOT_BEARER =
  'its tokens are not Bearer by their token_type; if they are nevertheless, set auth.authorizationServer.issuer of the server';

/** The answer of a token endpoint: JSON, or a form, as GitHub has it too. @returns undefined if it is neither */
export async function answerIn(response: Response): Promise<unknown> {
  const text = await response.text();
  const isForm = response.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded');
  const body = isForm === true ? Object.fromEntries(new URLSearchParams(text)) : jsonIn(text);
  if (!isObject(body) || 'access_token' in body) return body;
  // Slack may have a person's token below the rest.
  return isObject(body['authed_user']) ? { ...body, ...body['authed_user'] } : body;
}

/** Members of a token endpoint's answer that are read strictly. What is not used need not be right: the id_token is not an identity
 *  here, and unsigned ones are common; so are members without a value. For `expires_in`, see tokenTimes(). Source: RFC 6749 §5.1
 *  @param isPinned whether the operator has named the issuer: then any type of token that is not bound to a key counts as Bearer,
 *  as Slack's `user` is @throws UnsupportedOperationError */
export function usedMembers(body: JsonObject, isPinned: boolean): JsonObject {
  const isUsed = ([name, value]: [string, unknown]): boolean =>
    !UNUSED.includes(name) && value !== null && value !== '';
  const used = Object.fromEntries(Object.entries(body).filter(isUsed));
  const { token_type: type = '' } = used;
  if (typeof type === 'string' && (BEARER.test(type) || BOUND.test(type))) return used;
  if (isPinned) return { ...used, token_type: 'bearer' };
  throw new UnsupportedOperationError(NOT_BEARER);
}
