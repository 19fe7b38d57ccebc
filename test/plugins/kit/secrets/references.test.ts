import { expect } from 'chai';
import fc from 'fast-check';
import { hiderOf } from '../../../../plugins/kit/secrets/hiding.ts';
import {
  consistsOfReferences,
  fillReferences,
  holdsOnlyReferences,
} from '../../../../plugins/kit/secrets/references.ts';
import { secretsGiven } from '../../../../plugins/kit/secrets/secretPlaces.ts';
import { secretsIn } from '../../../../plugins/kit/secrets/secretsIn.ts';
import { makeDirectory } from '../../../support/directory.ts';

/** Characters without what readers of definitions treat as a piece of its own: white space, `:` and `%`. */
const SECRET = fc.string({
  unit: fc.constantFrom(...Array.from('abcXYZ059-_.+/=€"\\{}$')),
  minLength: 8,
  maxLength: 20,
});

describe('lib: references', () => {
  it('are filled, and what fills them is hidden: the whole value, and each part by itself', () => {
    const { path, write } = makeDirectory();
    const names = fc.constantFrom('A', 'B', 'C', 'TOKEN');
    const part = fc.tuple(fc.constantFrom('env', 'file', 'text'), names, SECRET);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const env: Record<string, string> = {};
        const texts = parts.map(([kind, name, secret], at) => {
          if (kind === 'text') return { given: '-plain-text-', secret: '-plain-text-' };
          if (kind === 'env') env[`PEGBOARD_TEST_${name}_${at}`] = secret;
          else write(`${name}-${at}`, `${secret}\n`);
          const target = kind === 'env' ? `PEGBOARD_TEST_${name}_${at}` : `${name}-${at}`;
          return { given: `\${${kind}:${target}}`, secret };
        });
        const given = { X: texts.map((one) => one.given).join('|') };
        const whole = texts.map(({ secret }) => secret).join('|');
        Object.assign(process.env, env);
        const { values, secrets, faults } = fillReferences(given, path);
        // What upstream hides of a server's words, and what a cassette hides.
        const hiders = [secretsGiven({ values: secrets }), secretsIn({ env: given }, path)].map(hiderOf);
        for (const name of Object.keys(env)) Reflect.deleteProperty(process.env, name);
        expect(values).deep.equal({ X: whole });
        expect(faults).deep.equal([]);
        const filled = texts.filter(({ given: one }) => one.startsWith('$')).map(({ secret }) => secret);
        for (const hide of hiders)
          for (const text of filled.length === 0 ? [] : [whole, ...filled])
            expect(hide(`<${text}>`)).equal('<[redacted]>');
      }),
    );
  });

  it('that cannot be filled leave nothing, and are named with the reason', () => {
    const { path, at } = makeDirectory({ big: 'x'.repeat(1_048_577) });
    const given = {
      A: 'a ${env:PEGBOARD_TEST_ABSENT}',
      B: '${file:gone}',
      C: '${file:.}',
      D: '${file:big}',
      E: 'e',
    };
    const { values, faults } = fillReferences(given, path, {});
    expect(values).deep.equal({ A: 'a ', B: '', C: '', D: '', E: 'e' });
    expect(faults.map(({ name, message }) => `${name} ${message}`)).deep.equal([
      'A names the environment variable PEGBOARD_TEST_ABSENT, which is not set; set it and restart Pegboard',
      `B names the file ${at('gone')}, which cannot be read: ENOENT: no such file or directory, stat '${at('gone')}'`,
      `C names the file ${path}, which cannot be read: it is not a regular file`,
      `D names the file ${at('big')}, which cannot be read: it has over 1048576 bytes`,
    ]);
  });

  it('hold no brace inside, so that a text of unfinished ones is read in one pass', () => {
    expect(fillReferences({ A: '${env:${env:X}' }, '/', { X: 'x' }).values).deep.equal({ A: '${env:x' });
    const begun = performance.now();
    const text = '${env:'.repeat(200_000);
    expect(fillReferences({ A: text }, '/', {}).values).deep.equal({ A: text });
    expect(holdsOnlyReferences(text)).equal(false);
    expect(performance.now() - begun).below(5_000);
  });

  it('may be shown when a value holds nothing else than them and the scheme of a header', () => {
    for (const text of ['${env:A}', '${env:A}${file:/b c}', 'Bearer ${env:A}', 'token ${file:x}'])
      expect(holdsOnlyReferences(text), text).equal(true);
    for (const text of ['', 'Bearer ', 'a${env:A}', '${env:A}b', '${env:}', '${ENV:A}', '${A}', 'x ${env:A}'])
      expect(holdsOnlyReferences(text), text).equal(false);
    const defaults = [
      ['DIR', '${env:DIR:-/srv/notes}', true],
      ['REGION', '${env:A}${env:REGION:-eu-west-1}', true],
      ['API_KEY', 'Bearer ${env:A:-}', true],
      ['API_KEY', '${env:A}${file:b:-c}', true],
      ['DB_PASSWORD', '${env:P:-changeme}', false],
      ['DB_PASSWORD', '${env:P:-production}', false],
      ['U', '${env:U:-admin:hunterpass}', false],
      ['TOKEN', '${env:TOKEN:-sk-abcdefgh1234}', false],
      ['VALUE', '${env:A}${env:B:-correcthorse}', false],
    ] as const;
    for (const [name, text, isShown] of defaults) {
      expect(holdsOnlyReferences(text, name), text).equal(isShown);
      expect(consistsOfReferences(text), text).equal(true);
    }
  });
});
