import { expect } from 'chai';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { loadKeys } from '../../../../plugins/front/session/loadKeys.ts';
import { makeDirectory } from '../../../support/directory.ts';

describe('front: session keys', () => {
  it('makes a key only its owner can read, and finds it again', () => {
    const { path, at } = makeDirectory();
    const [first] = loadKeys(path);
    expect(first?.key).length(32);
    expect(statSync(at('session-keys.json')).mode & 0o777).equal(0o600);
    expect(loadKeys(path)).deep.equal([first]);
    expect(readdirSync(path)).deep.equal(['session-keys.json']);
  });

  it('seals with the first key of the file and opens with all', () => {
    const one = { id: '00000001', key: Buffer.alloc(32, 1).toString('base64') };
    const two = { id: '00000002', key: Buffer.alloc(32, 2).toString('base64') };
    const { path } = makeDirectory({ 'session-keys.json': JSON.stringify({ keys: [two, one] }) });
    expect(loadKeys(path).map(({ id }) => id.toString('hex'))).deep.equal(['00000002', '00000001']);
  });

  it('makes a new key each time without a state directory', () => {
    expect(loadKeys(undefined)).not.deep.equal(loadKeys(undefined));
  });

  for (const text of ['', '{', '{}', '{"keys":[]}', '{"keys":[{"id":"00","key":"AA=="}]}', 'null']) {
    it(`refuses a file holding ${JSON.stringify(text)} and says what to do`, () => {
      const { path, at } = makeDirectory({ 'session-keys.json': text });
      expect(() => loadKeys(path)).throw(/session-keys\.json cannot be used; repair it, or remove it/);
      expect(readFileSync(at('session-keys.json'), 'utf8')).equal(text);
    });
  }
});
