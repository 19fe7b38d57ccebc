import { globFault } from 'pegboard';
import type { Finding } from 'pegboard';
import type { DenyConfig } from './config.ts';

/** Patterns that do not compile, with their places. */
export function denyFindings({ tools, except }: DenyConfig): readonly Finding[] {
  const faults = (key: string, patterns: readonly string[]): readonly Finding[] =>
    patterns.flatMap((pattern, at) => {
      const fault = globFault(pattern);
      if (fault === undefined) return [];
      const message = `${key}.${at} is no pattern: ${fault}; * is any run, ? one character`;
      return [{ path: [key, at], message }];
    });
  return [...faults('tools', tools), ...faults('except', except)];
}
