import { messageOf } from 'pegboard';

/** Why a request failed; fetch hides it in its cause. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const inner = cause instanceof AggregateError ? (cause.errors as unknown[])[0] : cause;
  return messageOf(inner ?? error);
}
