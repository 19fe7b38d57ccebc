import type { Issue } from '../contracts/resource.ts';
import { isError } from './isError.ts';

/** Depends on the family of the first error. Source: kernel/README.md, Error codes. */
export function exitCodeFor(issues: readonly Issue[]): number {
  const code: string | undefined = issues.find(isError)?.code;
  if (code === undefined) return 0;
  if (code.startsWith('PLUGIN_')) return 3;
  return code === 'STORE_UNREACHABLE' ? 4 : 2;
}
