import { expect } from 'chai';
import { secretIn } from '../../../../plugins/kit/oauth/secretIn.ts';
import { makeDirectory } from '../../../support/directory.ts';

describe('auth-exchange: a secret in a file', () => {
  it('is its text, without space at the ends', () => {
    const { path, at } = makeDirectory({ plain: 'secret', lines: '\n a secret: ü \r\n\n', 'a/b': 'below' });
    for (const [file, secret] of [
      ['plain', 'secret'],
      ['./plain', 'secret'],
      ['lines', 'a secret: ü'],
      ['a/b', 'below'],
      [at('plain'), 'secret'],
    ] as const)
      expect(secretIn(file, path), file).deep.equal({ secret });
  });

  it('is not filled in again', () => {
    const { path } = makeDirectory({ reference: '${env:HOME}', other: '${file:reference}' });
    expect(secretIn('reference', path)).deep.equal({ secret: '${env:HOME}' });
    expect(secretIn('other', path)).deep.equal({ secret: '${file:reference}' });
  });

  it('is read anew each time', () => {
    const directory = makeDirectory({ file: 'first' });
    expect(secretIn('file', directory.path)).deep.equal({ secret: 'first' });
    directory.replace('file', 'second');
    expect(secretIn('file', directory.path)).deep.equal({ secret: 'second' });
  });

  it('is absent, with the reason, if the file is missing, empty, too large or not a file', () => {
    const { path, at } = makeDirectory({
      empty: '',
      blank: ' \n',
      huge: 'x'.repeat(1_100_000),
      'folder/x': '',
    });
    for (const [file, reason] of [
      ['missing', at('missing')],
      ['empty', 'names the file empty, which is empty; write the secret into it'],
      ['blank', 'names the file blank, which is empty; write the secret into it'],
      ['huge', '1048576 bytes'],
      ['folder', 'not a regular file'],
      ['\u0000', 'cannot be read'],
    ] as const)
      expect(secretIn(file, path), file).property('fault').include(reason);
  });

  it('is never made of the name of the file', () => {
    const { path } = makeDirectory({ a: 'known' });
    for (const file of ['', 'a}b', '}', '${env:HOME}', '${file:a}', 'a}${env:HOME}'])
      expect(secretIn(file, path), file).not.property('secret');
  });
});
