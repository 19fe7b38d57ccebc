import { expect } from 'chai';
import { HOSTILE_CASES, markdown } from './hostile/table.ts';
import { testNames } from './support/testNames.ts';
import { textOf } from './support/sources.ts';

const README = textOf('test/README.md');
const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe('Hostile cases', () => {
  for (const one of HOSTILE_CASES) {
    if ('open' in one) continue;
    it(`${one.id} is covered by tests that exist`, () => {
      for (const test of one.tests) {
        const [path = '', name] = test.split(/: (.*)/s);
        expect(testNames(path), path).include(name);
      }
    });
  }

  it('are all here, each once', () => {
    const wanted = [
      ...[...numbers(1, 61), ...numbers(69, 71), ...numbers(73, 80)].map((number) => `case ${number}`),
      ...numbers(1, 91).map((number) => `U${number}`),
      ...[...numbers(84, 87), ...numbers(90, 108)].map((number) => `T${number}`),
      ...[...numbers(1, 6).map((number) => `C${number}`), ...numbers(1, 6).map((number) => `M${number}`)],
      ...numbers(1, 10).map((number) => `L${number}`),
    ];
    expect(HOSTILE_CASES.map(({ id }) => id).sort()).deep.equal(wanted.sort());
  });

  it('are listed in test/README.md', () => {
    expect(README.slice(README.indexOf('- **case ')).trim()).equal(markdown());
  });
});
