import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { renameOver } from '../../../../plugins/kit/files/renameOver.ts';
import { makeDirectory } from '../../../support/directory.ts';

function refusing(times: number, code: string) {
  const calls: string[] = [];
  const move = (from: unknown, to: unknown): Promise<void> => {
    calls.push(`${String(from)} ${String(to)}`);
    return calls.length > times
      ? Promise.resolve()
      : Promise.reject(Object.assign(new Error(code), { code }));
  };
  return { calls, move };
}

describe('plugins/kit/files: renameOver', () => {
  it('puts one file in the place of another', async () => {
    const folder = makeDirectory({ a: 'new', b: 'old' });
    await renameOver(folder.at('a'), folder.at('b'));
    expect(readFileSync(folder.at('b'), 'utf8')).equal('new');
  });

  it('tries again while Windows has the other file open', async () => {
    for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
      const { calls, move } = refusing(2, code);
      await renameOver('a', 'b', 'win32', move);
      expect(calls, code).deep.equal(['a b', 'a b', 'a b']);
    }
  });

  it('does not try again elsewhere, or for another reason', async () => {
    for (const [platform, code] of [
      ['linux', 'EPERM'],
      ['win32', 'ENOSPC'],
    ] as const) {
      const { calls, move } = refusing(1, code);
      expect(await renameOver('a', 'b', platform, move).then(String, String)).include(code);
      expect(calls).length(1);
    }
  });
});
