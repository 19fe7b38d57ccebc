/** Runs as a process of its own, to be killed: keeps lists of ten callers without end, and reports each that is kept.
 *  Argument: the state directory. */
import { writeSync } from 'node:fs';
import { captureLog } from '../../../support/log.ts';
import { listsIn } from './listsIn.ts';

const { keep } = await listsIn(process.argv[2] ?? '', captureLog());
for (let count = 0; ; count += 1) {
  const [owner, name] = [`owner-${count % 10}`, `tool-${count % 7}`];
  // Synchronous, so that no report is lost when the process is killed.
  writeSync(1, `begin ${owner} ${name}\n`);
  await keep(owner, name);
  writeSync(1, `done ${owner} ${name}\n`);
}
