import { expect } from 'chai';
import { hiddenIn, hiderOf } from '../../../../plugins/kit/secrets/hiding.ts';
import type { Hide, Secret } from '../../../../plugins/contracts/secrets.ts';

/** A secret under a neutral name. */
function plain(...texts: readonly string[]): readonly Secret[] {
  return texts.map((text) => ({ name: 'VALUE', text }));
}
function named(text: string): Hide {
  return hiderOf([{ name: 'API_TOKEN', text }]);
}

describe('hiding', () => {
  it('removes secrets from texts, the longer of two with a common beginning entirely, and leaves short values', () => {
    const hide = hiderOf(plain('sk-12345678', 'sk-12345678-longer', '8080', 'a+b*c.d?e'));
    expect(hide('one sk-12345678-longer, two sk-12345678, port 8080, a+b*c.d?e')).to.equal(
      'one [redacted], two [redacted], port 8080, [redacted]',
    );
    expect(hiderOf([])('anything')).to.equal('anything');
  });

  it('finds a secret without its scheme, as JSON writes it, and line by line', () => {
    const hide = hiderOf(plain('Bearer abcdefgh', 'first half\n"second" half'));
    expect(hide('abcdefgh')).to.equal('[redacted]');
    expect(hide(JSON.stringify('first half\n"second" half'))).to.equal('"[redacted]"');
    expect(hide('x first half\ny "second" half')).to.equal('x [redacted]\ny [redacted]');
  });

  it('hides a value of four characters or more when its name declares it secret', () => {
    expect(named('4711')('pin 4711, year 2011')).to.equal('pin [redacted], year 2011');
    expect(named('abc')('abc')).to.equal('abc');
    for (const word of ['true', 'false', 'null', 'none']) expect(named(word)(word), word).to.equal(word);
    const mixed = hiderOf([
      { name: 'PORT', text: '8080' },
      { name: 'DB_PASSWORD', text: 'hunter2' },
    ]);
    expect(mixed('8080 hunter2')).to.equal('8080 [redacted]');
  });

  it('finds a secret percent-encoded, by any encoder, and decoded', () => {
    const secret = 'p/w+1 é="x"';
    const hide = named(secret);
    const spellings = [
      encodeURIComponent(secret),
      encodeURIComponent(secret).toLowerCase(),
      encodeURI(secret),
      String(new URLSearchParams({ k: secret })).slice(2),
    ];
    for (const spelling of spellings)
      expect(hide(`?k=${spelling}&l=1`), spelling).to.equal('?k=[redacted]&l=1');
    expect(named('planted%2Dquery')('planted-query')).to.equal('[redacted]');
  });

  it('finds a secret in base64, alone and among other bytes', () => {
    for (const secret of ['CANARY-4711', 'CANARY-471', 'CANARY-47', '4711', 'ÿ?>~ÿ?>~ÿ']) {
      const hide = named(secret);
      for (const encoding of ['base64', 'base64url'] as const) {
        const alone = Buffer.from(secret).toString(encoding);
        expect(hide(`<${alone}>`), secret).to.match(/^<\[redacted\]=*>$/);
      }
    }
    const long = 'planted-secret-4711';
    for (const before of ['', 'u', 'me', 'joe:', 'long user:']) {
      const told = named(long)(Buffer.from(`${before}${long}; and more`).toString('base64'));
      expect(told, before).to.contain('[redacted]');
      expect(Buffer.from(told.replaceAll('[redacted]', '!'), 'base64').toString('latin1')).not.to.match(
        /lanted|secre/,
      );
    }
  });

  it('covers strings, numbers and keys of a value, and keeps the rest unchanged', () => {
    const hide = hiderOf(plain('4815162342'));
    const value = { list: [4815162342, 'is 4815162342', 7, null, true], '4815162342': { n: 1.5 } };
    expect(hiddenIn(value, hide)).to.deep.equal({
      list: ['[redacted]', 'is [redacted]', 7, null, true],
      '[redacted]': { n: 1.5 },
    });
  });
});
