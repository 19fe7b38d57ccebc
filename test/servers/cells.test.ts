import { expect } from 'chai';
import { textOf } from '../support/sources.ts';
import { markdown } from './cells.ts';

describe('Servers of other SDKs', () => {
  it('are in the tables of plugins/upstream/README.md as known.ts has them', () => {
    expect(textOf('plugins/upstream/README.md')).to.contain(`\n${markdown()}\n`);
  });
});
