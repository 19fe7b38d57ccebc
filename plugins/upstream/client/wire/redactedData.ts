import { pathBelow } from 'pegboard';
import { hiddenIn } from 'pegboard/kit';

const MAX_LEVELS = 512;

/** The data of a server's error with secrets redacted, in any JSON notation; undefined if it is nested too deeply to be searched. */
export function redactedData(data: unknown, redact: (text: string) => string): unknown {
  return pathBelow(data, MAX_LEVELS) === undefined ? hiddenIn(data, redact) : undefined;
}
