import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { loadKeys } from '../../../../plugins/front/session/loadKeys.ts';
import { makeDirectory } from '../../../support/directory.ts';

describe('front: session keys', () => {
  it('are the same at each start', () => {
    const { path, at } = makeDirectory();
    const keys = loadKeys(path);
    expect(loadKeys(path)).deep.equal(keys);
    expect(readFileSync(at('session-keys.json'), 'utf8')).include(keys[0].id.toString('hex'));
  });

  it('are new ones each time without a state directory', () => {
    expect(loadKeys(undefined)).not.deep.equal(loadKeys(undefined));
  });

  it('are refused with the way out when their file cannot be used', () => {
    const { path } = makeDirectory({ 'session-keys.json': '{' });
    expect(() => loadKeys(path)).throw(/session-keys\.json cannot be used: .*; repair it, or remove it/);
  });
});
