import { expect } from 'chai';
import { parseTemplate, TemplateError } from '@pegboard/gotpl';
import { textOf } from '../../../support/sources.ts';

/** A pattern and, unless that is null, the error of Go's regexp (test/support/goRegexes). */
type RegexCase = readonly [pattern: string, error: string | null];

const CASES = JSON.parse(textOf('test/plugins/workflow/gotpl/regexErrors.json')) as readonly RegexCase[];

function errorOf(pattern: string): string | null {
  try {
    parseTemplate('{{ mustRegexMatch .p "b" }}').render({ p: pattern });
    return null;
  } catch (cause) {
    if (!(cause instanceof TemplateError)) throw cause;
    const [, said] = cause.message.split('error calling mustRegexMatch: ');
    return said ?? cause.message;
  }
}

describe('gotpl: errors in regular expressions', () => {
  it('are those of Go, with the names that the groups have in the pattern', () => {
    expect(CASES.length).to.be.above(120);
    for (const [pattern, error] of CASES) expect(errorOf(pattern), pattern).to.equal(error);
  });

  it('keep groups of one name apart from those that are called like their aliases', () => {
    const made = (pattern: string): string =>
      parseTemplate('{{ regexReplaceAll .p "xyb" "<${a}|${a__1}|${a_g1}>" }}').render({ p: pattern });
    expect(made('(?P<a>x)(?P<a>y)(?P<a__1>b)')).to.equal('<x|b|>');
    expect(made('(?P<a>x)(?P<a>y)(?P<a_g1>b)')).to.equal('<x||b>');
  });
});
