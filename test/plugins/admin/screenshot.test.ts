import { readFileSync, statSync } from 'node:fs';
import { expect } from 'chai';

const PICTURE = 'plugins/admin/overview.png';
const PICTURES = [PICTURE, 'plugins/admin/connect.png'];

describe('the screenshot of the admin pages', () => {
  it('is shown in README.md and is smaller than 200 kB', () => {
    expect(readFileSync('README.md', 'utf8')).include(`](${PICTURE})`);
    expect(statSync(PICTURE).size).below(200_000);
  });

  it('is, with the other one there, smaller than 200 kB', () => {
    for (const picture of PICTURES) expect(readFileSync('README.md', 'utf8')).include(`](${picture})`);
    const bytes = PICTURES.map((picture) => statSync(picture).size);
    expect(bytes.reduce((sum, one) => sum + one, 0)).below(200_000);
  });
});
