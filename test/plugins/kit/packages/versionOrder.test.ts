import { expect } from 'chai';
import { versionOrder } from '../../../../plugins/kit/packages/versionOrder.ts';

describe('kit: the order of versions', () => {
  it('is that of npm and of Python', () => {
    for (const sorted of [
      [
        '1.0.0-alpha',
        '1.0.0-alpha.1',
        '1.0.0-alpha.beta',
        '1.0.0-beta.2',
        '1.0.0-beta.11',
        '1.0.0-rc.1',
        '1.0.0',
      ],
      ['0.9', '1.0a1', '1.0b2', '1.0rc1', '1.0', '1.0.post1', '1.0.post10', '1.0.1', '1.2', '1.10', '1!0.1'],
    ])
      for (const [at, one] of sorted.entries())
        for (const other of sorted.slice(at + 1)) {
          expect(versionOrder(one, other), `${one} ${other}`).below(0);
          expect(versionOrder(other, one), `${other} ${one}`).above(0);
        }
    for (const [one, other] of [
      ['1.0', '1.0.0'],
      ['v1.0.0', '1.0.0+build.5'],
      ['1.0RC1', '1.0rc1'],
      ['', ''],
    ] as const)
      expect(versionOrder(one, other), `${one} ${other}`).equal(0);
  });
});
