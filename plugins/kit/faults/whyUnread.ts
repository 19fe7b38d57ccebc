import { messageOf } from 'pegboard';

/** What an error EMFILE or ENFILE means, and what helps. */
export const OUT_OF_HANDLES =
  'too many files and connections are open; raise the limit (ulimit -n, LimitNOFILE of the unit)';

/** Why the system does not let a file or folder be read, and what helps. */
export function whyUnread(error: unknown): string {
  const isOutOfHandles = ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '');
  const fix = isOutOfHandles ? OUT_OF_HANDLES : 'make it readable for this process';
  return `cannot be read: ${messageOf(error)}; ${fix}`;
}
