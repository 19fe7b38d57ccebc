import type { Position } from '../contracts/resource.ts';

/** `file:line:column`, as far as it is known. */
export function placeText({ file, line, column }: Position): string | undefined {
  if (file === undefined) return undefined;
  return line === undefined ? file : `${file}:${line}:${column ?? 1}`;
}
