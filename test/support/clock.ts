import { defer } from './cleanup.ts';

export interface MovableClock {
  readonly later: (ms: number) => void;
  /** Back to the real time; after a test by itself. */
  readonly end: () => void;
}

/** A clock that only the test moves forward, besides its own course: Date.now of this process, until the test (outside one, the
 *  run) ends. Call it before what reads the clock starts: some keep Date.now. */
export function movableClock(): MovableClock {
  const real = Date.now;
  let ahead = 0;
  Date.now = () => real() + ahead;
  const end = (): void => void (Date.now = real);
  defer(end);
  return { later: (ms) => void (ahead += ms), end };
}
