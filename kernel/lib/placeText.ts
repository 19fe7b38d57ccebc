import type { Position } from '../contracts/resource.ts';

/** `file:line:column`; unknown parts are left out. */
export function placeText({ file, line, column }: Position): string | undefined {
  if (file === undefined) return undefined;
  return line === undefined ? file : `${file}:${line}:${column ?? 1}`;
}
