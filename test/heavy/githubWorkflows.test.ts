import { spawnSync } from 'node:child_process';
import { expect } from 'chai';

describe('workflows of GitHub', () => {
  it('have no complaint of actionlint', function () {
    const { status, stdout, error } = spawnSync('actionlint', ['-no-color'], { encoding: 'utf8' });
    if (error !== undefined) {
      console.log(
        '      SKIPPED: no actionlint here; install it with: go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.9',
      );
      this.skip();
    }
    expect(stdout).equal('');
    expect(status).equal(0);
  });
});
