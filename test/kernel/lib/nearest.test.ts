import { expect } from 'chai';
import fc from 'fast-check';
import { didYouMean, nearSearch, nearest } from '../../../kernel/lib/nearest.ts';

describe('nearest', () => {
  const names = ['autoStart', 'command', 'toolPrefix', 'x_files_read', 'x_files_write', 'x_git_log'];

  it('finds the name that was mistyped', () => {
    expect(nearest('autostart', names, 1)).to.deep.equal(['autoStart']);
    expect(nearest('comand', names, 1)).to.deep.equal(['command']);
    expect(nearest('x_file_read', names, 1)).to.deep.equal(['x_files_read']);
  });

  it('finds a name with two letters swapped, also a short one', () => {
    expect(nearest('prot', ['host', 'port', 'enabled'], 1)).to.deep.equal(['port']);
    expect(nearest('tyep', ['type', 'name'], 1)).to.deep.equal(['type']);
  });

  it('ranks a name without its prefix as very near', () => {
    expect(nearest('git_log', names, 1)).to.deep.equal(['x_git_log']);
    expect(nearest('log', names, 1)).to.deep.equal(['x_git_log']);
  });

  it('returns at most limit names, best first, and none that is far', () => {
    expect(nearest('x_files_rea', names, 2)).to.deep.equal(['x_files_read', 'x_files_write']);
    expect(nearest('zebra', names, 3)).to.deep.equal([]);
    expect(nearest('', names, 3)).to.deep.equal([]);
    expect(nearest('x', [], 3)).to.deep.equal([]);
  });
});

describe('didYouMean', () => {
  it('names the near candidates, else gives the other advice', () => {
    const names = ['x_files_read', 'x_files_write', 'x_git_log'];
    expect(didYouMean('x_files_rea', names, 'list them')).to.equal('did you mean x_files_read?');
    expect(didYouMean('x_files_rea', names, 'list them', 2)).to.equal(
      'did you mean x_files_read or x_files_write?',
    );
    expect(didYouMean('zebra', names, 'list them')).to.equal('list them');
  });
});

describe('nearSearch', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'C', '_', 'é'), maxLength: 12 });

  it('finds what a comparison with each name finds, in the same order', () => {
    const search = fc.property(
      fc.array(word),
      word,
      fc.integer({ min: 1, max: 4 }),
      (names, typed, limit) => {
        const all = [...new Set(names)].sort().map((name) => ({ name, likeness: likeness(typed, name) }));
        const near = all.filter((one) => one.likeness >= 0.45).sort((a, b) => b.likeness - a.likeness);
        expect(nearSearch(names)(typed, limit)).to.deep.equal(near.slice(0, limit).map(({ name }) => name));
      },
    );
    fc.assert(search, { numRuns: 2_000 });
  });

  it('replaces a near name that is not offered by the next one', () => {
    const search = nearSearch(['read_file', 'read_files', 'read_filed']);
    expect(search('read_fil', 1)).to.deep.equal(['read_file']);
    expect(search('read_fil', 1, (name) => name !== 'read_file')).to.deep.equal(['read_filed']);
  });
});

function likeness(typed: string, name: string): number {
  const [one, other] = [typed.toLowerCase(), name.toLowerCase()];
  if (other.endsWith(`_${one}`)) return 1;
  const [ones, others] = [pairsOf(one), pairsOf(other)];
  const dice = (2 * [...ones].filter((pair) => others.has(pair)).length) / (ones.size + others.size);
  return Array.from(one).sort().join('') === Array.from(other).sort().join('') ? Math.max(dice, 0.9) : dice;
}
function pairsOf(word: string): ReadonlySet<string> {
  const padded = ` ${word} `;
  return new Set(
    Array.from(padded)
      .map((letter, at) => letter + (padded[at + 1] ?? ''))
      .slice(0, -1),
  );
}
