import { expect } from 'chai';
import { textOf } from '../support/sources.ts';
import { ENTRIES } from './declarations.ts';
import { apiReport, sectionsOf } from './report.ts';

/** @returns what differs, each with its two texts, so that a reviewer sees what it does to plugins of others */
function differences(before: string, after: string): readonly string[] {
  const [was, is] = [sectionsOf(before), sectionsOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((name) => was.get(name) !== is.get(name))
    .map((name) => `${name}\n  was: ${was.get(name) ?? 'nothing'}\n  is: ${is.get(name) ?? 'nothing'}`);
}

describe('the declarations of the public entries', () => {
  it('are those of test/api/report.txt, which npm run tables writes', () => {
    expect(differences(textOf('test/api/report.txt'), apiReport())).deep.equal([]);
  });

  it('are found in all five entries that package.json exports', () => {
    const { exports } = JSON.parse(textOf('package.json')) as { exports: Record<string, { types?: string }> };
    const typed = Object.values(exports).flatMap(({ types }) =>
      types === undefined ? [] : [types.slice(2)],
    );
    expect(Object.values(ENTRIES)).have.members(typed);
    for (const entry of Object.keys(ENTRIES))
      expect(
        [...sectionsOf(textOf('test/api/report.txt')).keys()].filter((name) => name.startsWith(`${entry} (`)),
      ).length.above(10);
  });

  it('are compared without comments, and name by name', () => {
    const report = '==== pegboard (x)\n\n-- a\ndeclare const a: 1;\n\n-- b\ndeclare const b: 1;\n';
    expect(differences(report, report.replace('b: 1', 'b: 2'))).deep.equal([
      'pegboard (x): b\n  was: declare const b: 1;\n  is: declare const b: 2;',
    ]);
    expect(differences(report, report.slice(0, report.indexOf('-- b')))).length(1);
  });
});
