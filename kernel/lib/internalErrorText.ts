import { randomBytes } from 'node:crypto';

interface ErrorLog {
  error(text: string, data: Readonly<Record<string, unknown>>): void;
}

/** Writes an error that may not leave the process to the log, under a random id.
 *  @param what the line of the log, for example `call failed` @returns what is answered instead, with that id */
export function internalErrorText(what: string, error: unknown, log: ErrorLog): string {
  const id = randomBytes(4).toString('hex');
  log.error(what, { id, error });
  return `internal error ${id}; the operator finds the details in the log under this id`;
}
