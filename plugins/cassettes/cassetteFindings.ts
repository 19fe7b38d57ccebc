import type { Finding } from 'pegboard';
import { RE2JS, RE2JSSyntaxException } from 're2js';
import { globFault } from '../kit/text/glob.ts';
import type { RecordConfig } from './config.ts';

/** Findings for patterns that do not compile or would hide everything. */
export function cassetteFindings({ servers, redact }: RecordConfig): readonly Finding[] {
  return [
    ...faults('servers', servers, (pattern) => {
      const fault = globFault(pattern);
      return fault && `is not a pattern: ${fault}; * is any run, ? one character`;
    }),
    ...faults('redact', redact, expressionFault),
  ];
}

function faults(
  key: string,
  patterns: readonly string[],
  faultOf: (pattern: string) => string | undefined,
): readonly Finding[] {
  return patterns.flatMap((pattern, at) => {
    const fault = faultOf(pattern);
    return fault === undefined ? [] : [{ path: [key, at], message: `${key}.${at} ${fault}` }];
  });
}

function expressionFault(pattern: string): string | undefined {
  try {
    const isOfNothing = RE2JS.compile(pattern).matcher('').matches();
    return isOfNothing ? 'matches the empty text; name at least one character' : undefined;
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return `is not a regular expression: ${error.message}; put \\ before a literal special character`;
  }
}
