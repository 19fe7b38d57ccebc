import { expect } from 'chai';
import { DEFAULT_LIMITS, DENIED_BY_DEFAULT, TemplateError, parseTemplate } from '@pegboard/gotpl';
import type { Template } from '@pegboard/gotpl';
import { selectFunctions } from '../../plugins/workflow/gotpl/registry.ts';
import type { ParamKind } from '../../plugins/workflow/gotpl/signature.ts';

/** What a rendering takes at most in the worst case: one call is not interrupted. A short limit ends most of them by the clock. */
const MAX_MS = 2 * DEFAULT_LIMITS.maxTimeMs;
const MEGABYTE = 1_000_000;

const fill = (unit: string): string => unit.repeat(Math.floor(MEGABYTE / Buffer.byteLength(unit)));
/** Large values of each kind. */
const LARGE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  text: {
    words: fill('Two wordsAnd a_3 '),
    accents: fill('é Éß'),
    bytes: fill('ab\udc80'),
    digits: fill('1'),
    json: `[${fill('{"a":1},')}1]`,
  },
  list: {
    numbers: Array.from({ length: 100_000 }, (_, at) => at),
    texts: Array.from({ length: 100_000 }, (_, at) => `t${(at * 7919) % 100_000}`),
    lists: Array.from({ length: 20_000 }, (_, at) => [at, [at]]),
    long: [fill('a'), fill('b')],
  },
  map: {
    many: Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, at])),
  },
};
/** Short values, where a large one is somewhere else. */
const SMALL: Readonly<Record<ParamKind, string>> = {
  string: '"a"',
  int: '40',
  uint32: '4',
  float64: '1.5',
  bool: 'true',
  any: '"a"',
  value: '"a"',
  map: '(dict "a" 1)',
  list: '(list 1 2)',
  time: '(now)',
  duration: '1',
  location: '(now).Location',
  version: '(semver "1.2.3")',
  certificate: '"a"',
};
const TAKES: Readonly<Record<string, readonly ParamKind[]>> = {
  text: ['string', 'any', 'value'],
  list: ['list', 'any', 'value'],
  map: ['map', 'any', 'value'],
};

/** All calls of a function with a large value in one place or in all. */
function callsOf(name: string, kinds: readonly ParamKind[]): readonly string[] {
  const calls = Object.entries(LARGE).flatMap(([what, values]) => {
    const fits = (kind: ParamKind): boolean => TAKES[what]?.includes(kind) === true;
    return Object.keys(values).flatMap((key) => {
      const large = `$.${what}.${key}`;
      const at = kinds.flatMap((kind, place) => (fits(kind) ? [place] : []));
      const places = at.length > 1 ? [...at.map((one) => [one]), at] : at.length === 1 ? [at] : [];
      return places.map((chosen) =>
        [name, ...kinds.map((kind, place) => (chosen.includes(place) ? large : SMALL[kind]))].join(' '),
      );
    });
  });
  return [...new Set(calls)];
}

/** The time that processors work on a rendering, in ms, whether it ends with a value or not. */
function measured(template: Template): number {
  const before = process.cpuUsage();
  try {
    template.render(LARGE);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
  }
  return Object.values({ ...process.cpuUsage(before) }).reduce((sum, us) => sum + us) / 1000;
}

describe('gotpl: a rendering with a megabyte of data', () => {
  for (const [name, { params, rest }] of selectFunctions(DENIED_BY_DEFAULT)) {
    // What they take depends on no input.
    if (/^(gen|derivePassword$|bcrypt$|htpasswd$|buildCustomCert$)/.test(name)) continue;
    it(`ends with its time, and that of one call at most: ${name}`, () => {
      const kinds = [...params, ...(rest === undefined ? [] : [rest, rest])];
      const long: string[] = [];
      for (const call of callsOf(name, kinds)) {
        const text = `{{ range until 300 }}{{ $x := ${call} }}{{ end }}`;
        const template = parseTemplate(text, { allow: DENIED_BY_DEFAULT, limits: { maxTimeMs: 5 } });
        // A collection of garbage beside it counts as its own; a call that stalls does so each time.
        let ms = measured(template);
        for (let again = 0; again < 2 && ms > MAX_MS; again++) ms = measured(template);
        if (ms > MAX_MS) long.push(`${call}: ${Math.round(ms)} ms`);
      }
      expect(long).to.deep.equal([]);
    });
  }

  for (const text of ['if', 'with', 'range'])
    it(`ends so where ${text} reads a map`, () => {
      const leaves = text === 'range' ? '{{ break }}' : '';
      const loop = `{{ range until 900 }}{{ ${text} $.map.many }}${leaves}{{ end }}{{ end }}`;
      const template = parseTemplate(loop, { limits: { maxTimeMs: 5 } });
      expect(() => template.render(LARGE)).to.throw(TemplateError, 'execution time exceeded');
    });
});
