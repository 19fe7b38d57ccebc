import { expect } from 'chai';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { loadKeyRing } from '../../../../plugins/kit/secrets/keyRing.ts';
import { makeDirectory } from '../../../support/directory.ts';

describe('lib: key ring', () => {
  it('makes a file that only its owner can read, and finds the key again', () => {
    const { path, at } = makeDirectory();
    const ring = loadKeyRing(at('keys.json'));
    expect(ring[0].key).length(32);
    expect(statSync(at('keys.json')).mode & 0o777).equal(0o600);
    expect(loadKeyRing(at('keys.json'))).deep.equal(ring);
    expect(readdirSync(path)).deep.equal(['keys.json']);
  });

  it('keeps the order of the file: the first key seals', () => {
    const one = { id: '00000001', key: Buffer.alloc(32, 1).toString('base64') };
    const two = { id: '00000002', key: Buffer.alloc(32, 2).toString('base64') };
    const { at } = makeDirectory({ 'keys.json': JSON.stringify({ keys: [two, one] }) });
    expect(loadKeyRing(at('keys.json')).map(({ id }) => id.toString('hex'))).deep.equal([
      '00000002',
      '00000001',
    ]);
  });

  const secret = Buffer.alloc(32, 7).toString('base64');
  for (const text of [
    '',
    '{',
    '{}',
    '{"keys":[]}',
    '{"keys":[{"id":"00","key":"AA=="}]}',
    'null',
    `{"keys":[{"id":"00000001","key":${secret}}]}`,
    `{"keys":[{"id":"1","key":"${secret}"}]}`,
  ]) {
    it(`refuses a file holding ${JSON.stringify(text)}, names it and shows nothing of it`, () => {
      const { at } = makeDirectory({ 'keys.json': text });
      let error: unknown;
      try {
        loadKeyRing(at('keys.json'));
      } catch (thrown) {
        error = thrown;
      }
      expect((error as Error).message).match(/keys\.json cannot be used: it must hold \{"keys":/);
      for (let one = error; one instanceof Error; one = one.cause) expect(one.message).not.include('BwcH');
      expect(readFileSync(at('keys.json'), 'utf8')).equal(text);
    });
  }

  it('names a file that cannot be read, with the reason', () => {
    const { path } = makeDirectory();
    expect(() => loadKeyRing(path)).throw(`${path} cannot be used: EISDIR`);
  });
});
