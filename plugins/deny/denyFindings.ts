import type { Finding } from 'pegboard';
import { globFault } from '../kit/text/glob.ts';
import type { DenyConfig } from './config.ts';

const PATTERNS = ['tools', 'resources', 'prompts', 'servers', 'except'] as const;

/** Patterns that do not compile, with their places. */
export function denyFindings(config: DenyConfig): readonly Finding[] {
  return PATTERNS.flatMap((key) =>
    config[key].flatMap((pattern, at) => {
      const fault = globFault(pattern);
      if (fault === undefined) return [];
      const message = `${key}.${at} is not a pattern: ${fault}; * is any run, ? one character`;
      return [{ path: [key, at], message }];
    }),
  );
}
