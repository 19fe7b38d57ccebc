import { expect } from 'chai';
import { whyUnread } from '../../../../plugins/kit/faults/whyUnread.ts';

const failing = (code: string): Error => Object.assign(new Error(`${code}: it failed`), { code });

describe('a definition that cannot be read', () => {
  for (const code of ['EMFILE', 'ENFILE'])
    it(`for want of file handles (${code}) names their limit, and not its mode`, () => {
      expect(whyUnread(failing(code))).equal(
        `cannot be read: ${code}: it failed; too many files and connections are open; raise the limit (ulimit -n, LimitNOFILE of the unit)`,
      );
    });

  it('for want of rights is to be made readable', () => {
    expect(whyUnread(failing('EACCES'))).include('make it readable for this process');
  });
});
