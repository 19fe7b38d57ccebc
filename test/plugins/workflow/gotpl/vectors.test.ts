import { expect } from 'chai';
import { DENIED_BY_DEFAULT, integer, parseTemplate, TemplateError } from '@pegboard/gotpl';
import { exactValue } from '../../../../plugins/kit/calls/exactNumbers.ts';
import { textOf } from '../../../support/sources.ts';

interface Outcome {
  readonly output?: string;
  readonly outputBase64?: string;
  readonly error?: { readonly message: string; readonly kind: 'parse' | 'exec' };
}

interface Vector extends Outcome {
  readonly name: string;
  readonly group: string;
  readonly template: string;
  readonly data: unknown;
  readonly alternate?: Outcome;
  readonly typed?: { readonly type: string; readonly value?: unknown; readonly marshalError?: string };
  readonly nondeterministic?: boolean;
}

/** Rows that cannot pass, with the reason. */
const SKIPPED: ReadonlyMap<string, string> = new Map([
  ['x-bcrypt-shape', 'no bcrypt in Node'],
  ['x-certs-shape', 'makes certificates, which this port refuses'],
  ['x-certs-shape2', 'makes certificates, which this port refuses'],
  ['sprig-crypto-genca-shape', 'makes certificates, which this port refuses'],
  ['sprig-crypto-gensigned-error-ip', 'makes certificates, which this port refuses'],
  ['sprig-crypto-gensigned-error-ip-type', 'makes certificates, which this port refuses'],
  ['sprig-crypto-buildcustom-error', 'makes certificates, which this port refuses'],
  ['sprig-crypto-gencawithkey-error', 'makes certificates, which this port refuses'],
]);

const MAX_SKIPPED_SHARE = 0.01;
const FULL_GROUPS = [
  'lex',
  'parse',
  'field',
  'control',
  'cmp',
  'fmt',
  'print',
  'sprig-strings',
  'sprig-list',
  'sprig-dict',
];

const cases = textOf('test/plugins/workflow/gotpl/cases.json');
const vectors = JSON.parse(cases) as readonly Vector[];
/** The same with all digits of integers, as Go has written the values. */
const exact = exactValue(cases, { of: integer, digitsOf: () => undefined }) as readonly Vector[];

const options = {
  numbers: 'strict',
  allow: DENIED_BY_DEFAULT,
  readVariable: (name: string) => process.env[name],
  limits: { maxTimeMs: 10_000 },
} as const;

function run(vector: Vector): Outcome {
  try {
    return { output: parseTemplate(vector.template, options).render(vector.data) };
  } catch (cause) {
    if (!(cause instanceof TemplateError)) throw cause;
    return { error: { message: cause.message, kind: cause.kind === 'parse' ? 'parse' : 'exec' } };
  }
}

function expected(outcome: Outcome): Outcome {
  const { error, outputBase64, output } = outcome;
  if (error) return { error: { message: error.message, kind: error.kind } };
  // Output is a string here, so bytes that are not valid UTF-8 become U+FFFD.
  return {
    output:
      outputBase64 === undefined ? (output ?? '') : Buffer.from(outputBase64, 'base64').toString('utf8'),
  };
}

const DEPTH = /exceeded maximum template depth \(\d+\)/;

function comparable(outcome: Outcome): string {
  return JSON.stringify(outcome).replace(DEPTH, 'exceeded maximum template depth');
}

describe('gotpl: what Go 1.26 and sprig 3.3.0 print', () => {
  const groups = new Map<string, { passed: number; total: number }>();
  const count = (group: string): { passed: number; total: number } => {
    const known = groups.get(group) ?? { passed: 0, total: 0 };
    groups.set(group, known);
    return known;
  };

  after(() => {
    for (const [group, { passed, total }] of groups)
      console.log(`      ${group.padEnd(16)} ${passed}/${total}`);
    for (const [name, reason] of SKIPPED) console.log(`      not run: ${name}: ${reason}`);
  });

  it('contains all vectors and skips only a few, none of the core', () => {
    expect(vectors).to.have.lengthOf(2739);
    expect(SKIPPED.size / vectors.length).to.be.below(MAX_SKIPPED_SHARE);
    const skippedGroups = vectors.filter(({ name }) => SKIPPED.has(name)).map(({ group }) => group);
    expect(skippedGroups.filter((group) => FULL_GROUPS.includes(group))).to.deep.equal([]);
  });

  for (const group of new Set(vectors.map((vector) => vector.group))) {
    it(`prints and fails like Go: ${group}`, () => {
      const failures: string[] = [];
      for (const vector of vectors.filter((candidate) => candidate.group === group)) {
        const counter = count(group);
        counter.total++;
        if (SKIPPED.has(vector.name)) continue;
        const problem = check(vector);
        if (problem === undefined) counter.passed++;
        else failures.push(`${vector.name}: ${problem}`);
      }
      expect(failures).to.deep.equal([]);
    }).timeout(30_000);
  }
});

function check(vector: Vector): string | undefined {
  const before = JSON.stringify(vector.data);
  const got = run(vector);
  if (JSON.stringify(vector.data) !== before) return 'changed its data';
  if (vector.nondeterministic) return undefined;
  const wanted = [vector, ...(vector.alternate ? [vector.alternate] : [])].map((outcome) =>
    comparable(expected(outcome)),
  );
  if (!wanted.includes(comparable(got))) return `got ${comparable(got)}, want ${wanted.join(' or ')}`;
  const { typed } = exact[vectors.indexOf(vector)] ?? {};
  return typed && got.output !== undefined ? checkTyped(vector, typed) : undefined;
}

function checkTyped(vector: Vector, typed: NonNullable<Vector['typed']>): string | undefined {
  const template = parseTemplate(vector.template, options);
  if (!template.isSoleAction) return 'not seen as a sole action';
  if (typed.marshalError !== undefined) {
    expect(() => template.evaluate(vector.data)).to.throw(TemplateError, typed.marshalError);
    return undefined;
  }
  expect(template.evaluate(vector.data), vector.name).to.deep.equal(typed.value);
  return undefined;
}
