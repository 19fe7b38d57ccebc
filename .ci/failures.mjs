// Mocha's `spec` report, which also writes what failed to the file of PEGBOARD_FAILURES: a line for each, file, tab and title.
import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

export default class Failures extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const failed = [];
    runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, (test) =>
      failed.push(`${test.file}\t${test.fullTitle()}\n`),
    );
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () =>
      writeFileSync(process.env['PEGBOARD_FAILURES'], failed.join('')),
    );
  }
}
