import type { Invocation } from 'pegboard';

/** One thing that was looked at. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'error';
  readonly subject: string;
  readonly message: string;
  /** What to type next; warnings and errors have one. */
  readonly fix?: string;
}

const MARKS = { ok: '✓', warning: '!', error: '✗' } as const;
const COLOURS = { ok: 32, warning: 33, error: 31 } as const;

export function lineOf({ level, subject, message, fix }: Finding, { terminal }: Invocation): string {
  const mark = terminal.hasColour ? `\u001b[${COLOURS[level]}m${MARKS[level]}\u001b[0m` : MARKS[level];
  return `${mark} ${subject}: ${message}\n${fix === undefined ? '' : `    → ${fix}\n`}`;
}
