import { expect } from 'chai';
import { parseTemplate, TemplateError } from '@pegboard/gotpl';
import { textOf } from '../../../support/sources.ts';

/** A prelude's index, a template, and what Go printed or, if that is null, its error. */
type MethodCase = readonly [prelude: number, template: string, output: string | null, error?: string];

interface MethodCases {
  readonly preludes: readonly string[];
  readonly cases: readonly MethodCase[];
}

const { preludes, cases } = JSON.parse(textOf('test/plugins/workflow/gotpl/methodCases.json')) as MethodCases;

const options = { numbers: 'strict', limits: { maxTimeMs: 10_000 } } as const;

function outcome(text: string): { readonly output?: string; readonly error?: string } {
  try {
    return { output: parseTemplate(text, options).render({}) };
  } catch (cause) {
    if (!(cause instanceof TemplateError)) throw cause;
    return { error: cause.message };
  }
}

function failuresOf(chosen: readonly MethodCase[]): string[] {
  const failures: string[] = [];
  for (const [prelude, template, output, error] of chosen) {
    const text = (preludes[prelude] ?? '') + template;
    const got = JSON.stringify(outcome(text));
    const want = JSON.stringify(output === null ? { error } : { output });
    if (got !== want) failures.push(`${text}\n  got  ${got}\n  want ${want}`);
  }
  return failures;
}

describe('gotpl: methods of times, durations and versions', () => {
  it('holds all the cases of Go', () => {
    expect(cases.length).to.equal(10078);
  });

  it('prints and fails like Go 1.26 with sprig 3.3.0', () => {
    expect(failuresOf(cases)).to.deep.equal([]);
  }).timeout(60_000);

  it('prints the date of today for values that are not times', () => {
    const today = (): string => outcome('{{ htmlDate now }}').output ?? '';
    const before = today();
    const { output } = outcome('{{ $t := now }}{{ htmlDate $t.Month }} {{ htmlDate ($t.Sub $t) }}');
    expect(output).to.be.oneOf([before, today()].map((date) => `${date} ${date}`));
    expect(before).to.match(/^\d{4}-\d\d-\d\d$/);
  });

  it('reaches nothing of JavaScript on any value', () => {
    const values = ['$t', '$t.Location', '$t.Month', '($t.Sub $t)', '$v', '$v.IncMajor', '$t.MarshalText'];
    const names = [
      ...Object.getOwnPropertyNames(Object.prototype),
      ...[
        'zone',
        'at',
        'type',
        'print',
        'isPointer',
        'items',
        'elementType',
        'changed',
        'next',
        'addNanos',
        'at.constructor',
      ],
    ];
    const reached = values.flatMap((value) =>
      names
        .map((name) => `{{ $t := now }}{{ $v := semver "1.2.3" }}{{ ${value}.${name} }}`)
        .filter((text) => !/can't evaluate field|unexported field/.test(outcome(text).error ?? '')),
    );
    expect(reached).to.deep.equal([]);
  });
});
