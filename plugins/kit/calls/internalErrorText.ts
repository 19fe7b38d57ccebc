import { randomBytes } from 'node:crypto';

interface ErrorLog {
  error(text: string, data: Readonly<Record<string, unknown>>): void;
}

/** Logs an error whose message must not leave the process, under a random id.
 *  @param what the log line, for example `call failed` @param trace the id of the trace that the line belongs to
 *  @returns the text to send instead, which contains the id */
export function internalErrorText(what: string, error: unknown, log: ErrorLog, trace?: string): string {
  const id = randomBytes(4).toString('hex');
  log.error(what, trace === undefined ? { id, error } : { id, trace, error });
  return `internal error ${id}; the operator finds the details in the log under this id`;
}
