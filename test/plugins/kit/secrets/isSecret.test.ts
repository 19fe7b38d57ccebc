import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { isPlaceholder } from '../../../../plugins/kit/secrets/isPlaceholder.ts';
import { isHarmless, isSecret, keptUnlessSecret } from '../../../../plugins/kit/secrets/isSecret.ts';
import { hideInUrl, hideInWords } from '../../../../plugins/kit/secrets/secretPlaces.ts';

/** A value as configuration files of clients have it. `part`: what must not be seen of it */
type Row = readonly [
  place: 'env' | 'header' | 'words' | 'url',
  name: string,
  value: string | readonly string[],
  answer: 'secret' | 'plain' | 'placeholder',
  part?: string,
];

/** Real places and names with values made up in the same shapes. A middle dot keeps scanners of repositories from taking them for live ones. */
const ROWS = readFileSync('test/plugins/kit/secrets/values.jsonl', 'utf8')
  .replaceAll('·', '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Row);

/** What a definition shows of a value, when its secrets are hidden. */
function shownOf([place, name, value]: Row): string {
  if (typeof value !== 'string')
    return hideInWords(
      value.map((word) => (isSecret('', word) && !word.includes('://') ? '[redacted]' : word)),
      keptUnlessSecret,
    ).join(' ');
  return place === 'url' ? hideInUrl(value, keptUnlessSecret) : keptUnlessSecret(value, name);
}

describe('secrets of definitions', () => {
  it('are told from plain values and placeholders by name, form and place', () => {
    expect(ROWS.length).above(300);
    const wrong = ROWS.filter((row) => {
      const [place, , value, answer, part = '\0'] = row;
      const shown = shownOf(row);
      const isHidden = shown !== [value].flat().join(' ');
      const isExample = (place === 'env' || place === 'header') && isPlaceholder(String(value));
      if (answer === 'secret') return !isHidden || shown.includes(part);
      return isHidden || isExample !== (answer === 'placeholder');
    });
    expect(wrong).deep.equal([]);
  });

  it('are what is not a path, an address or a name, where words of servers are hidden', () => {
    const plain = [
      '/srv/files/data',
      'https://api.example.org/v2',
      'eu-central-1',
      'db.internal:5432',
      'production',
    ];
    for (const value of [...plain, 'claude-3-7-sonnet-20250219', '~/notes/work'])
      expect(isHarmless('VALUE', value), value).equal(true);
    const doubtful = [
      'hunter2',
      'a key of\n"two" lines',
      '4815162342',
      'p4-[(21$',
      'Zx9kQ2mV',
      'https://a:b@c/',
    ];
    for (const value of doubtful) expect(isHarmless('VALUE', value), value).equal(false);
    expect(isHarmless('DB_PASSWORD', 'production')).equal(false);
  });

  it('are judged in linear time', () => {
    const begun = performance.now();
    for (const part of [
      'a=',
      ':-',
      '--a=',
      '{"a":"',
      'x-',
      'a;b=',
      'https://',
      '${env:',
      'your-',
      'aA1',
      '/a',
    ]) {
      const value = part.repeat(50_000);
      for (const name of ['A', 'TOKEN', 'PATH']) isSecret(name, value);
      hideInWords([value], keptUnlessSecret);
    }
    expect(performance.now() - begun).below(10_000);
  });
});
