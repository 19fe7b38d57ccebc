import { messageOf } from 'pegboard';

/** The innermost cause: openid-client wraps faults of the network. */
export function providerFault(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error ? `${messageOf(error)}: ${messageOf(cause)}` : messageOf(error);
}
