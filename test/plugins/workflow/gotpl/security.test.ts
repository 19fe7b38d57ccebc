import { expect } from 'chai';
import fc from 'fast-check';
import { parseTemplate, TemplateError } from '@pegboard/gotpl';

const INHERITED = [
  'constructor',
  '__proto__',
  'length',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'prototype',
];

function reason(template: string, data: unknown): string {
  try {
    return parseTemplate(template).render(data);
  } catch (cause) {
    if (cause instanceof TemplateError) return cause.reason;
    throw cause;
  }
}

function expectCleanPrototypes(): void {
  expect(Object.keys(Object.prototype)).to.deep.equal([]);
  expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
  expect(Object.keys(Array.prototype)).to.deep.equal([]);
}

describe('gotpl: no way to JavaScript', () => {
  for (const name of INHERITED) {
    it(`treats ${name} as an ordinary key`, () => {
      const missing = `map has no entry for key "${name}"`;
      expect(reason(`{{ .${name} }}`, {})).to.equal(missing);
      expect(reason(`{{ .a.${name} }}`, { a: {} })).to.equal(missing);
      expect(reason(`{{ $x := dict }}{{ $x.${name} }}`, {})).to.equal(missing);
      expect(reason(`{{ (fromJson "{}").${name} }}`, {})).to.equal(missing);
      expect(reason(`{{ (split "," "a").${name} }}`, {})).to.equal(missing);
      expect(reason(`{{ .a.${name} }}`, { a: 'text' })).to.equal(
        `can't evaluate field ${name} in type interface {}`,
      );
      expect(reason(`{{ .a.${name} }}`, { a: [1] })).to.equal(
        `can't evaluate field ${name} in type interface {}`,
      );
      expect(reason(`{{ (now).${name} }}`, {})).to.equal(`can't evaluate field ${name} in type time.Time`);
      expect(reason(`{{ index . "${name}" }}|{{ get . "${name}" }}|{{ hasKey . "${name}" }}`, {})).to.equal(
        '<no value>||false',
      );
      expect(
        reason(`{{ dig "${name}" "none" . }}|{{ pluck "${name}" . }}|{{ pick . "${name}" }}`, {}),
      ).to.equal('none|[]|map[]');
    });

    it(`preserves a data key named ${name}`, () => {
      const data = JSON.parse(`{"${name}":{"x":"own"}}`) as unknown;
      expect(reason(`{{ .${name}.x }} {{ (index . "${name}").x }} {{ hasKey . "${name}" }}`, data)).to.equal(
        'own own true',
      );
      expect(parseTemplate('{{ . }}').evaluate(data)).to.deep.equal(data);
    });
  }

  it('writes __proto__ as a plain key', () => {
    const template =
      '{{ $d := dict "__proto__" (dict "polluted" 1) }}{{ $_ := set $d "constructor" 2 }}{{ $d }}|{{ merge (dict) $d }}|{{ toJson $d }}';
    const text = 'map[__proto__:map[polluted:1] constructor:2]';
    expect(parseTemplate(template).render({})).to.equal(
      `${text}|${text}|{"__proto__":{"polluted":1},"constructor":2}`,
    );
    expectCleanPrototypes();
  });

  it('pollutes no prototype when it merges hostile data', () => {
    const data = JSON.parse(
      '{"a":{},"b":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}',
    ) as unknown;
    parseTemplate(
      '{{ mergeOverwrite .a .b }}{{ deepCopy .b }}{{ omit .b "x" }}{{ set .a "__proto__" .b }}',
    ).render(data);
    expectCleanPrototypes();
    const value = parseTemplate('{{ fromJson .s }}').evaluate({ s: JSON.stringify(data) }) as object;
    expect(Object.getPrototypeOf(value)).to.equal(Object.prototype);
    expectCleanPrototypes();
  });

  it('never changes the data', () => {
    const data = { m: { a: 1 }, l: ['b', 'a'] };
    const frozen = structuredClone(data);
    const template = parseTemplate(
      '{{ $_ := set .m "a" 2 }}{{ $_ := unset .m "a" }}{{ $_ := merge .m (dict "z" 1) }}{{ sortAlpha .l }}{{ .m }}',
    );
    expect(template.render(data)).to.equal('[a b]map[z:1]');
    expect(template.render(data)).to.equal('[a b]map[z:1]');
    expect(data).to.deep.equal(frozen);
  });

  it('never evaluates data as a template', () => {
    expect(parseTemplate('{{ .a }}').render({ a: '{{ env "HOME" }}' })).to.equal('{{ env "HOME" }}');
  });
});

const WORDS =
  'add append b64dec b64enc cat chunk coalesce compact concat contains date default dict dig div duration eq first float64 floor fromJson get gt has hasKey html indent index int join js keys last len list lower max merge mod mul nindent not omit or and pick plural pluck print printf println quote regexFind regexFindAll regexMatch regexReplaceAll regexSplit repeat replace rest reverse round semver semverCompare seq set slice snakecase sortAlpha split splitList substr ternary title toDate toJson toPrettyJson toString trim trunc uniq unset until untilStep upper urlJoin urlParse urlquery values without wrap abbrev camelcase mustFromJson deepCopy typeOf kindOf call uuidv4 randAlpha now ago shuffle'.split(
    ' ',
  );

const literal = fc.oneof(
  fc.constantFrom(
    '.',
    '$',
    '$x',
    '.a',
    '.l',
    '.m',
    '.m.k',
    '.nul',
    '.n',
    '.f',
    '.missing',
    '.constructor',
    '.__proto__.polluted',
    'nil',
    'true',
    'false',
  ),
  fc.integer({ min: -5, max: 50 }).map(String),
  fc.constantFrom('9223372036854775807', '1.5', '1e400', '0x1F', "'a'", '1i', '-0.0'),
  fc.string({ maxLength: 8 }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '"%d %s %v %[2]*.[1]*f"',
    '"(a|b)*?"',
    '"__proto__"',
    '"constructor"',
    '`raw`',
    '"2006-01-02"',
    '"é😀"',
    '"[[:alpha:]]+"',
    '"\\xff"',
  ),
);

const { pipeline } = fc.letrec<{ pipeline: string; operand: string; command: string }>((tie) => ({
  operand: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    literal,
    tie('pipeline').map((pipe) => `(${pipe})`),
  ),
  command: fc.oneof(
    literal,
    fc
      .tuple(fc.constantFrom(...WORDS), fc.array(tie('operand'), { maxLength: 4 }))
      .map(([name, args]) => [name, ...args].join(' ')),
  ),
  pipeline: fc.array(tie('command'), { minLength: 1, maxLength: 3 }).map((commands) => commands.join(' | ')),
}));

const { body } = fc.letrec<{ body: string; statement: string }>((tie) => ({
  statement: fc.oneof(
    { maxDepth: 3 },
    fc.string({ maxLength: 6 }),
    pipeline.map((pipe) => `{{ ${pipe} }}`),
    pipeline.map((pipe) => `{{ $x := ${pipe} }}`),
    fc.constantFrom(
      '{{ break }}',
      '{{ continue }}',
      '{{ end }}',
      '{{ else }}',
      '{{',
      '}}',
      '{{- /* c */ -}}',
      '{{ template "t" . }}',
      '{{ $x = 1 }}',
    ),
    fc
      .tuple(
        fc.constantFrom('if', 'with', 'range', 'range $i, $x :=', 'range $x ='),
        pipeline,
        tie('body'),
        tie('body'),
      )
      .map(([word, pipe, yes, no]) => `{{ ${word} ${pipe} }}${yes}{{ else }}${no}{{ end }}`),
  ),
  body: fc.array(tie('statement'), { maxLength: 5 }).map((statements) => statements.join('')),
}));

describe('gotpl: generated templates', () => {
  it('return text or throw a TemplateError, in time, and pollute no prototype', () => {
    const data = { a: 'x', l: [1, 'b', null, [2]], m: { k: 'v', n: { z: 1 } }, nul: null, n: 3, f: 2.5 };
    const before = JSON.stringify(data);
    const property = fc.property(
      body,
      fc.constantFrom<'strict' | 'lenient'>('strict', 'lenient'),
      (text, numbers) => {
        const started = performance.now();
        try {
          const template = parseTemplate(`{{ define "t" }}{{ . }}{{ end }}{{ $x := 1 }}${text}`, { numbers });
          expect(template.render(data)).to.be.a('string');
          template.references();
          template.print();
        } catch (cause) {
          if (!(cause instanceof TemplateError)) throw cause;
          expect(cause.message).not.to.match(/internal error/);
        }
        expect(performance.now() - started).to.be.below(2000);
        expect(JSON.stringify(data)).to.equal(before);
        expectCleanPrototypes();
      },
    );
    fc.assert(property, { numRuns: 1500, endOnFailure: true });
  }).timeout(60_000);

  it('print in a form that parses to the same template', () => {
    const property = fc.property(body, (text) => {
      let printed: string;
      try {
        printed = parseTemplate(`{{ $x := 1 }}${text}`).print();
      } catch (cause) {
        if (cause instanceof TemplateError) return;
        throw cause;
      }
      // Trimming may leave text that parses differently; only actions print canonically.
      if (/\{\{(?!\/\*)/.test(text) && !text.includes('{{-'))
        expect(parseTemplate(printed).print()).to.equal(printed);
    });
    fc.assert(property, { numRuns: 500 });
  }).timeout(60_000);
});
