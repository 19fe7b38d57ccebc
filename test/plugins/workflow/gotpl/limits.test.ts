import { expect } from 'chai';
import { DENIED_BY_DEFAULT, parseTemplate, TemplateError } from '@pegboard/gotpl';
import type { TemplateErrorKind, TemplateOptions } from '@pegboard/gotpl';

function failure(template: string, options: TemplateOptions = {}, data: unknown = {}): TemplateError {
  try {
    parseTemplate(template, options).render(data);
  } catch (cause) {
    if (cause instanceof TemplateError) return cause;
    throw cause;
  }
  throw new Error('no error');
}

interface Row {
  readonly what: string;
  readonly template: string;
  readonly options?: TemplateOptions;
  readonly data?: unknown;
  readonly kind?: TemplateErrorKind;
  readonly reason: string;
}

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
};

const doubling = '{{ $s := "xxxxxxxx" }}{{ range until 40 }}{{ $s = print $s $s }}{{ end }}';
const dag = '{{ $l := list 1 }}{{ range until 60 }}{{ $l = list $l $l }}{{ end }}';
const big = 'a'.repeat(2_000_000);

const ROWS: readonly Row[] = [
  { what: 'source length', template: 'x'.repeat(70_000), kind: 'parse', reason: 'template too large' },
  {
    what: 'nested parentheses',
    template: `{{ ${'('.repeat(201)}1${')'.repeat(201)} }}`,
    kind: 'parse',
    reason: 'nesting too deep',
  },
  {
    what: 'nested actions',
    template: '{{ if 1 }}'.repeat(201) + '{{ end }}'.repeat(201),
    kind: 'parse',
    reason: 'nesting too deep',
  },
  {
    what: 'chained else',
    template: `{{ if 0 }}${'{{ else if 0 }}'.repeat(3000)}{{ end }}`,
    kind: 'parse',
    reason: 'nesting too deep',
  },
  {
    what: 'evaluated nodes',
    template: '{{ range until 1000 }}{{ range until 1000 }}{{ end }}{{ end }}',
    options: { limits: { maxTimeMs: 60_000, maxNodes: 100_000 } },
    reason: 'execution budget exceeded',
  },
  {
    what: 'few nodes',
    template: '{{ range until 100 }}{{ . }}{{ end }}',
    options: { limits: { maxNodes: 50 } },
    reason: 'execution budget exceeded',
  },
  {
    what: 'wall time',
    template: '{{ range until 9999 }}{{ range until 9999 }}{{ end }}{{ end }}',
    options: { limits: { maxTimeMs: 5, maxNodes: 1e9 } },
    reason: 'execution time exceeded',
  },
  {
    what: 'output',
    template: '{{ range until 1200 }}{{ repeat 1000 "x" }}{{ end }}',
    reason: 'output too large',
  },
  {
    what: 'output of text in a loop',
    template: `{{ range until 100000 }}${'x'.repeat(1000)}{{ end }}`,
    reason: 'output too large',
  },
  {
    what: 'output in bytes',
    template: '{{ .s }}',
    data: { s: 'é'.repeat(600_000) },
    reason: 'output too large',
  },
  {
    what: 'repeat',
    template: '{{ repeat 10000000000 "x" }}',
    reason: 'error calling repeat: result too large',
  },
  { what: 'indent', template: '{{ indent 2000000 "x" }}', reason: 'error calling indent: result too large' },
  {
    what: 'nindent',
    template: '{{ nindent 2000000 "x" }}',
    reason: 'error calling nindent: result too large',
  },
  {
    what: 'replace',
    template: '{{ replace "a" .s .s }}',
    data: { s: 'a'.repeat(10_000) },
    reason: 'error calling replace: result too large',
  },
  {
    what: 'replace between characters',
    template: '{{ replace "" .s .s }}',
    data: { s: 'a'.repeat(10_000) },
    reason: 'error calling replace: result too large',
  },
  {
    what: 'join',
    template: '{{ join .s (until 1000) }}',
    data: { s: 'a'.repeat(10_000) },
    reason: 'error calling join: result too large',
  },
  {
    what: 'cat',
    template: '{{ cat .s .s }}',
    data: { s: big },
    reason: 'error calling cat: result too large',
  },
  {
    what: 'wrapWith',
    template: '{{ wrapWith 1 .s .s }}',
    data: { s: 'a'.repeat(10_000) },
    reason: 'error calling wrapWith: result too large',
  },
  { what: 'until', template: '{{ until 100001 }}', reason: 'error calling until: result too large' },
  {
    what: 'untilStep',
    template: '{{ untilStep 0 1000000000 1 }}',
    reason: 'error calling untilStep: result too large',
  },
  { what: 'seq', template: '{{ seq 1000000000 }}', reason: 'error calling seq: result too large' },
  {
    what: 'random text',
    template: '{{ randAlpha 1000000000 }}',
    reason: 'error calling randAlpha: result too large',
  },
  {
    what: 'printf width',
    template: '{{ printf "%1000000d%1000000d" 1 2 }}',
    reason: 'error calling printf: result too large',
  },
  {
    what: 'splitting into characters',
    template: '{{ splitList "" .s }}',
    data: { s: 'a'.repeat(200_000) },
    reason: 'error calling splitList: result too large',
  },
  { what: 'a text that doubles', template: doubling, reason: 'error calling print: result too large' },
  {
    what: 'printing a list of lists of lists',
    template: `${dag}{{ $l }}`,
    options: { limits: { maxTimeMs: 60_000, maxNodes: 100_000 } },
    reason: 'execution budget exceeded',
  },
  {
    what: 'encoding it',
    template: `${dag}{{ toJson $l }}`,
    options: { limits: { maxTimeMs: 60_000, maxNodes: 100_000 } },
    reason: 'execution budget exceeded',
  },
  {
    what: 'copying it',
    template: `${dag}{{ $m := deepCopy $l }}`,
    options: { limits: { maxTimeMs: 60_000, maxNodes: 100_000 } },
    reason: 'execution budget exceeded',
  },
  {
    what: 'comparing it',
    template: `${dag}{{ deepEqual $l $l }}`,
    options: { limits: { maxTimeMs: 60_000, maxNodes: 100_000 } },
    reason: 'execution budget exceeded',
  },
  {
    what: 'a dict in itself',
    template: '{{ $d := dict }}{{ $_ := set $d "a" $d }}{{ $d }}',
    reason: 'value nested too deeply',
  },
  {
    what: 'encoding a dict in itself',
    template: '{{ $d := dict }}{{ $_ := set $d "a" $d }}{{ toJson $d }}',
    reason: 'error calling toJson: value nested too deeply',
  },
  {
    what: 'merging a dict in itself',
    template: '{{ $d := dict }}{{ $_ := set $d "a" $d }}{{ merge $d $d }}',
    reason: 'error calling merge: value nested too deeply',
  },
  { what: 'deep data', template: '{{ . }}', data: nested(5000), reason: 'value nested too deeply' },
  {
    what: 'copying deep data',
    template: '{{ $_ := set (dict) "a" 1 }}',
    data: nested(50_000),
    reason: 'evaluation nested too deeply',
  },
  {
    what: 'deep JSON',
    template: '{{ mustFromJson .s }}',
    data: { s: '['.repeat(5000) },
    reason: 'error calling mustFromJson: value nested too deeply',
  },
  {
    what: 'template depth',
    template: '{{ define "r" }}{{ template "r" }}{{ end }}{{ template "r" }}',
    reason: 'exceeded maximum template depth (256)',
  },
  {
    what: 'template depth twice over',
    template: '{{ define "r" }}{{ template "r" }}{{ template "r" }}{{ end }}{{ template "r" }}',
    reason: 'exceeded maximum template depth (256)',
  },
  {
    what: 'calls that double',
    template:
      '{{ define "r" }}{{ if . }}{{ template "r" (rest .) }}{{ template "r" (rest .) }}{{ end }}{{ end }}{{ template "r" (until 200) }}',
    reason: 'execution budget exceeded',
    options: { limits: { maxTimeMs: 60_000 } },
  },
  {
    what: 'regex size',
    template: '{{ regexMatch "(a{30}b){30}" "a" }}',
    options: { limits: { maxRegexInstructions: 500 } },
    reason: 'error calling regexMatch: regular expression too large',
  },
  {
    what: 'regex input',
    template: '{{ regexMatch "a" .s }}',
    data: { s: big },
    reason: 'error calling regexMatch: regular expression input too large',
  },
  {
    what: 'regex work',
    template: '{{ regexMatch "(a?){500}b" .s }}',
    data: { s: 'a'.repeat(1_000_000) },
    reason: 'error calling regexMatch: regular expression too expensive for its input',
  },
];

describe('gotpl: limits', () => {
  for (const { what, template, options, data, kind, reason } of ROWS) {
    it(`stops at ${what}`, () => {
      const started = performance.now();
      const error = failure(template, options, data);
      expect(error.reason).to.equal(reason);
      expect(error.kind).to.equal(kind ?? 'limit');
      expect(performance.now() - started).to.be.below(5000);
    });
  }

  it('accepts a text of 400,000 bytes', () => {
    expect(parseTemplate('{{ repeat 400000 "x" }}').render({})).to.have.lengthOf(400_000);
  });

  it('takes linear time for texts that make backtracking explode', () => {
    const started = performance.now();
    const spaces = `x${' '.repeat(500_000)}x`;
    const digits = `${'1'.repeat(500_000)}x`;
    const limits = { maxTimeMs: 60_000 };
    parseTemplate(
      '{{ trim .s | len }}{{ float64 .d }}{{ int .d }}{{ nospace .s }}{{ trimAll " " .s | len }}',
      { limits },
    ).render({ s: spaces, d: digits });
    parseTemplate('{{ dateInZone .d 0 "UTC" | len }}', { limits }).render({ d: '.0'.repeat(100_000) });
    expect(
      failure('{{ semverCompare .s "1.0.0" }}', { limits }, { s: `${'1  '.repeat(160)}!` }).reason,
    ).to.match(/improper constraint/);
    expect(performance.now() - started).to.be.below(3000);
  });
});

describe('gotpl: policy', () => {
  for (const name of DENIED_BY_DEFAULT) {
    it(`refuses ${name}, which is defined but denied`, () => {
      const args: Readonly<Record<string, string>> = {
        htpasswd: '"a" "b"',
        derivePassword: '1 "a" "b" "c" "d"',
        encryptAES: '"a" "b"',
        decryptAES: '"a" "b"',
        buildCustomCert: '"a" "b"',
        genCA: '"a" 1',
        genCAWithKey: '"a" 1 "k"',
        genSelfSignedCert: '"a" nil nil 1',
        genSelfSignedCertWithKey: '"a" nil nil 1 "k"',
      };
      if (name.startsWith('genSigned')) {
        expect(() => parseTemplate(`{{ ${name} }}`)).not.to.throw();
        return;
      }
      const error = failure(`{{ ${name} ${args[name] ?? '"a"'} }}`);
      expect(error.reason).to.equal(`error calling ${name}: function disabled by policy`);
      expect(error.kind).to.equal('policy');
    });
  }

  it('reads environment variables only through the given reader', () => {
    const template = '{{ env "HOME" }}|{{ expandenv "$HOME/x" }}';
    expect(parseTemplate(template, { allow: ['env', 'expandenv'] }).render({})).to.equal('|/x');
    const readVariable = (name: string): string | undefined => (name === 'HOME' ? '/h' : undefined);
    expect(parseTemplate(template, { allow: ['env', 'expandenv'], readVariable }).render({})).to.equal(
      '/h|/h/x',
    );
  });
});
