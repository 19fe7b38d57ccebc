import { readFileSync, statSync } from 'node:fs';
import { expect } from 'chai';

const PICTURE = 'plugins/admin/overview.png';

describe('the screenshot of the admin pages', () => {
  it('is shown in README.md and is smaller than 200 kB', () => {
    expect(readFileSync('README.md', 'utf8')).include(`](${PICTURE})`);
    expect(statSync(PICTURE).size).below(200_000);
  });
});
