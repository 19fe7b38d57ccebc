import { expect } from 'chai';
import { integer, parseTemplate, TemplateError } from '@pegboard/gotpl';
import type { NumberMode } from '@pegboard/gotpl';

const DATA = {
  n: 3,
  big: 1_234_567,
  f: 2.5,
  list: [1, 2, 3],
  time: 86_400,
  zero: -0,
  huge: 1e21,
  even: 9_007_199_254_740_994,
  odd: integer('9007199254740993'),
  wide: integer(`-${'9'.repeat(78)}`),
};

function outcome(template: string, numbers: NumberMode): string {
  try {
    return parseTemplate(template, { numbers }).render(DATA);
  } catch (cause) {
    if (cause instanceof TemplateError) return `error: ${cause.reason}`;
    throw cause;
  }
}

/** The rows of the table in the README: template, strict, lenient. */
const DIFFERENCES: readonly (readonly [template: string, strict: string, lenient: string])[] = [
  ['{{ .big }}', '1.234567e+06', '1234567'],
  [
    '{{ print .big }} {{ printf "%v" .big }} {{ quote .big }}',
    '1.234567e+06 1.234567e+06 "1.234567e+06"',
    '1234567 1234567 "1234567"',
  ],
  ['{{ list .big }}', '[1.234567e+06]', '[1234567]'],
  ['{{ join "," (list .big 1) }}', '1.234567e+06,1', '1234567,1'],
  ['{{ printf "%d" .n }}', '%!d(float64=3)', '3'],
  [
    '{{ printf "%03d|%x|%c" .n .n .big }}',
    '%!d(float64=003)|0x1.8p+01|%!c(float64=1.234567e+06)',
    '003|3|\ufffd',
  ],
  ['{{ printf "%*d" .n 7 }}', '%!(BADWIDTH)7', '  7'],
  ['{{ eq .n 3 }}', 'error: error calling eq: incompatible types for comparison: float64 and int', 'true'],
  ['{{ gt .n 1 }}', 'error: error calling gt: incompatible types for comparison: float64 and int', 'true'],
  [
    '{{ index .list .n }}',
    'error: error calling index: cannot index slice/array with type float64',
    'error: error calling index: reflect: slice index out of range',
  ],
  [
    '{{ index "abc" .n | print }}',
    'error: error calling index: cannot index slice/array with type float64',
    'error: error calling index: reflect: string index out of range',
  ],
  ['{{ until .n }}', 'error: wrong type for value; expected int; got float64', '[0 1 2]'],
  ['{{ repeat .n "a" }}', 'error: wrong type for value; expected int; got float64', 'aaa'],
  ['{{ range .n }}{{ . }}{{ end }}', "error: range can't iterate over 3", '012'],
  ['{{ has 2 .list }} {{ without .list 2 }}', 'false [1 2 3]', 'true [1 3]'],
  ['{{ deepEqual .list (list 1 2 3) }}', 'false', 'true'],
  ['{{ dateInZone "2006-01-02" .time "UTC" }}', '2020-01-01', '1970-01-02'],
  ['{{ duration .time }} {{ durationRound .time }}', '0s 0s', '24h0m0s 0s'],
  ['{{ (fromJson "{\\"id\\":1234567}").id }}', '1.234567e+06', '1234567'],
  ['{{ fromJson "9007199254740993" }}', '9.007199254740992e+15', '9007199254740993'],
  ['{{ .even }}', '9.007199254740994e+15', '9007199254740994'],
];

const SAME: readonly (readonly [template: string, both: string])[] = [
  ['{{ .n }} {{ .f }} {{ .zero }} {{ .huge }}', '3 2.5 -0 1e+21'],
  ['{{ 1e6 }} {{ floor 1234567.8 }} {{ mulf 1000 1000 }}', '1e+06 1.234567e+06 1e+06'],
  ['{{ printf "%.1f %g %e" .big .big .n }}', '1234567.0 1.234567e+06 3.000000e+00'],
  ['{{ eq .n 3.0 }} {{ lt .n 3.5 }} {{ eq .f 2.5 }}', 'true true true'],
  ['{{ kindOf .n }} {{ typeOf .n }} {{ printf "%T" .n }}', 'float64 float64 float64'],
  ['{{ kindIs "int" .n }} {{ has 2.0 .list }} {{ add .n 1 }}', 'false true 4'],
  ['{{ toJson .big }} {{ toJson .list }}', '1234567 [1,2,3]'],
  ['{{ upper .n }}', 'error: wrong type for value; expected string; got float64'],
  ['{{ until .f }}', 'error: wrong type for value; expected int; got float64'],
  [
    '{{ .odd }} {{ print .wide }} {{ toJson (list .odd) }}',
    `9007199254740993 -${'9'.repeat(78)} [9007199254740993]`,
  ],
  ['{{ eq .odd 9007199254740993 }} {{ eq .odd 9007199254740992 }} {{ lt .wide .odd }}', 'true false true'],
  ['{{ kindOf .odd }} {{ kindOf .wide }} {{ add .odd 1 }}', 'int64 uint64 9007199254740994'],
  ['{{ printf "%s" .n }}', '%!s(float64=3)'],
];

describe('gotpl: number modes', () => {
  const now = (): Date => new Date('2020-01-01T00:00:00Z');

  for (const [template, strict, lenient] of DIFFERENCES) {
    it(`differ: ${template}`, () => {
      if (template.startsWith('{{ dateInZone')) {
        expect(parseTemplate(template, { numbers: 'strict', now }).render(DATA)).to.equal(strict);
      } else {
        expect(outcome(template, 'strict')).to.equal(strict);
      }
      expect(outcome(template, 'lenient')).to.equal(lenient);
    });
  }

  for (const [template, both] of SAME) {
    it(`agree: ${template}`, () => {
      expect(outcome(template, 'strict')).to.equal(both);
      expect(outcome(template, 'lenient')).to.equal(both);
    });
  }

  it('keep integers that no number holds', () => {
    const values = parseTemplate('{{ list .odd (add .odd 1) .n }}').evaluate(DATA);
    expect(values).to.deep.equal([DATA.odd, 9_007_199_254_740_994, 3]);
    expect(JSON.stringify(values)).to.equal('["9007199254740993",9007199254740994,3]');
  });

  it('is lenient by default', () => {
    expect(parseTemplate('{{ .big }}').render(DATA)).to.equal('1234567');
  });
});
