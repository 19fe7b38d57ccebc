import { defer } from './cleanup.ts';

/** A clock that only the test moves forward, besides its own course: Date.now of this process, until the test (outside one, the
 *  run) ends. Call it before what reads the clock starts: some keep Date.now. */
export function movableClock(): { readonly later: (ms: number) => void } {
  const real = Date.now;
  let ahead = 0;
  Date.now = () => real() + ahead;
  defer(() => (Date.now = real));
  return { later: (ms) => void (ahead += ms) };
}
