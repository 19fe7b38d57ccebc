import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { keysFor } from '../../../../plugins/kit/secrets/keysFor.ts';
import { newKeyRing } from '../../../../plugins/kit/secrets/keyRing.ts';
import { makeDirectory } from '../../../support/directory.ts';

describe('lib: keys for one use', () => {
  it('are the same at each start', () => {
    const { path, at } = makeDirectory();
    const keys = keysFor('session', path, [], {});
    expect(keysFor('session', path, [], {})).deep.equal(keys);
    expect(readFileSync(at('session-keys.json'), 'utf8')).include(keys[0].id.toString('hex'));
  });

  it('are new ones each time without a state directory', () => {
    expect(keysFor('session', undefined, [], {})).not.deep.equal(keysFor('session', undefined, [], {}));
  });

  it('are refused if their file cannot be used', () => {
    const { path, at } = makeDirectory({ 'session-keys.json': '{', 'shared.json': '{' });
    expect(() => keysFor('session', path, [], {})).throw('session-keys.json cannot be used: ');
    const env = { PEGBOARD_KEYS_FILE: at('shared.json') };
    expect(() => keysFor('session', undefined, [], env)).throw('shared.json cannot be used: ');
  });

  it('come from the file of PEGBOARD_KEYS_FILE for all processes, and are others for another use', () => {
    const [one, two] = [makeDirectory(), makeDirectory()];
    const env = { PEGBOARD_KEYS_FILE: one.at('shared.json') };
    const keys = keysFor('vault', one.at('.'), [], env);
    expect(keysFor('vault', two.path, [], env)).deep.equal(keys);
    expect(keysFor('vault', undefined, [], env)).deep.equal(keys);
    const [session] = keysFor('session', one.at('.'), [], env);
    expect(session.id).deep.equal(keys[0].id);
    expect(session.key).not.deep.equal(keys[0].key);
    expect(existsSync(one.at('vault-keys.json'))).equal(false);
  });

  it('that a store keeps come first', () => {
    const given = newKeyRing();
    const { path, at } = makeDirectory();
    const env = { PEGBOARD_KEYS_FILE: at('shared.json') };
    const file = keysFor('vault', undefined, [], env);
    const keys = keysFor('vault', path, given, env);
    expect(keys.map(({ id }) => id)).deep.equal([given[0].id, file[0].id]);
    expect(keys[0].key).not.deep.equal(given[0].key);
    expect(keysFor('vault', undefined, given, {})).deep.equal([keys[0]]);
    expect(existsSync(at('vault-keys.json'))).equal(false);
  });

  it('of the state directory still open what they have sealed, behind those of PEGBOARD_KEYS_FILE', () => {
    const { path, at } = makeDirectory();
    const former = keysFor('vault', path, [], {});
    const both = keysFor('vault', path, [], { PEGBOARD_KEYS_FILE: at('shared.json') });
    expect(both).length(2);
    expect(both[1]).deep.equal(former[0]);
  });
});
