import { isObject, messageOf } from 'pegboard';
import { providerWords } from '../../kit/oauth/providerWords.ts';

/** The innermost cause: openid-client wraps faults of the network. */
export function providerFault(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const mismatch = mismatchIn(cause);
  if (mismatch !== undefined) return `${messageOf(error)}: ${mismatch}`;
  return cause instanceof Error ? `${messageOf(error)}: ${messageOf(cause)}` : messageOf(error);
}

/** Both issuers, if the document of the provider names another one than was asked for: often by a slash at the end alone. */
function mismatchIn(cause: unknown): string | undefined {
  if (!isObject(cause) || cause['attribute'] !== 'issuer' || !isObject(cause['body'])) return undefined;
  const { expected, body } = cause;
  const named = providerWords(String(body['issuer']));
  return `its document names ${named}, and issuerUrl is ${String(expected)}; write the one that it names`;
}
