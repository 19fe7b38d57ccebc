import type { Issue } from '../contracts/config.ts';
import type { Position } from '../contracts/resource.ts';

/** `file:line:column`; unknown parts are left out. */
export function placeText({ file, line, column }: Position): string | undefined {
  if (file === undefined) return undefined;
  return line === undefined ? file : `${file}:${line}:${column ?? 1}`;
}

/** `file:line:column: error: message (CODE)` */
export function issueText({ severity, message, code, ...place }: Issue): string {
  return `${[placeText(place) ?? [], severity, message].flat().join(': ')} (${code})`;
}
