import type { Invocation } from 'pegboard';

/** One thing that was looked at. */
export interface DoctorFinding {
  readonly level: 'ok' | 'warning' | 'error';
  readonly subject: string;
  readonly message: string;
  /** What to type next; warnings and errors have one. */
  readonly fix?: string;
}

const MARKS = { ok: '✓', warning: '!', error: '✗' } as const;
const COLOURS = { ok: 32, warning: 33, error: 31 } as const;

/** The mark of a finding, with the colour of its level where there are colours. */
export function markOf({ level }: DoctorFinding, { hasColour }: Invocation['terminal']): string {
  return hasColour ? `\u001b[${COLOURS[level]}m${MARKS[level]}\u001b[0m` : MARKS[level];
}

/** What follows its mark. */
export function findingText({ subject, message, fix }: DoctorFinding): string {
  return ` ${subject}: ${message}\n${fix === undefined ? '' : `    → ${fix}\n`}`;
}
