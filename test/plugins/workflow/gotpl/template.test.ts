import { expect } from 'chai';
import { parseTemplate, TemplateError } from '@pegboard/gotpl';
import { selectFunctions } from '../../../../plugins/workflow/gotpl/registry.ts';

function caught(run: () => unknown): TemplateError {
  try {
    run();
  } catch (cause) {
    if (cause instanceof TemplateError) return cause;
    throw cause;
  }
  throw new Error('no error');
}

describe('gotpl: Template', () => {
  it('renders a parsed template any number of times', () => {
    const template = parseTemplate('{{ range $i, $x := .l }}{{ $i }}{{ $x }} {{ end }}');
    expect(template.render({ l: ['a', 'b'] })).to.equal('0a 1b ');
    expect(template.render({ l: ['c'] })).to.equal('0c ');
  });

  it('evaluates a sole action to a typed value', () => {
    const data = { n: 3, l: [1, { a: null }], s: '08', m: { k: true } };
    const value = (text: string): unknown => parseTemplate(text).evaluate(data);
    expect(value('{{ .n }}')).to.equal(3);
    expect(value('{{ .l }}')).to.deep.equal([1, { a: null }]);
    expect(value('{{ .m }}')).to.deep.equal({ k: true });
    expect(value('{{ .s }}')).to.equal('08');
    expect(value('{{ eq .n 3 }}')).to.equal(true);
    expect(value('{{ len .l }}')).to.equal(2);
    expect(value('{{ index .m "none" }}')).to.equal(null);
    expect(value('{{ rest (list) }}')).to.equal(null);
    expect(value('{{ toDate "2006-01-02" "2024-02-29" }}')).to.equal('2024-02-29T00:00:00Z');
    expect(value('{{ dict "a" (list 1 2.5) }}')).to.deep.equal({ a: [1, 2.5] });
  });

  it('evaluates any other template to text', () => {
    const data = { n: 3 };
    for (const text of [
      ' {{ .n }}',
      '{{ .n }}{{ "" }}',
      '{{ if true }}{{ .n }}{{ end }}',
      '{{ $x := .n }}{{ $x }}',
    ]) {
      const template = parseTemplate(text);
      expect(template.isSoleAction, text).to.equal(false);
      expect(template.evaluate(data), text).to.be.a('string');
    }
    expect(parseTemplate('{{/* note */}}{{ .n }}').isSoleAction).to.equal(true);
  });

  it('rejects a value that JSON cannot represent', () => {
    expect(caught(() => parseTemplate('{{ float64 "NaN" }}').evaluate({})).reason).to.equal(
      'json: unsupported value: NaN',
    );
  });

  it('returns copies, so that a result does not share objects with the data', () => {
    const data = { m: { a: 1 } };
    const value = parseTemplate('{{ .m }}').evaluate(data) as { a: number };
    value.a = 2;
    expect(data.m.a).to.equal(1);
  });

  it('lists the paths that start at the data', () => {
    const references = (text: string): readonly string[] =>
      parseTemplate(text)
        .references()
        .map((path) => path.join('.'));
    expect(references('{{ .results.a.b }} {{ upper $.input.x }} {{ .results.a.b }}')).to.deep.equal([
      'results.a.b',
      'input.x',
    ]);
    expect(references('{{ with .input }}{{ .x }}{{ $.vars.y }}{{ else }}{{ .z }}{{ end }}')).to.deep.equal([
      'input',
      'input.x',
      'vars.y',
      'z',
    ]);
    expect(
      references('{{ range .input.l }}{{ .name }}{{ $.vars.y }}{{ else }}{{ .z }}{{ end }}'),
    ).to.deep.equal(['input.l', 'vars.y', 'z']);
    expect(references('{{ $r := .results.a }}{{ $r.b.c }}{{ (.results.d).e }}')).to.deep.equal([
      'results.a',
      'results.a.b.c',
      'results.d',
      'results.d.e',
    ]);
    expect(references('{{ $r := .a }}{{ $r = .b }}{{ $r.c }}')).to.deep.equal(['a', 'b']);
    expect(
      references('{{ define "t" }}{{ .x }}{{ end }}{{ template "t" .input }}{{ template "t" . }}'),
    ).to.deep.equal(['input', 'input.x', 'x']);
    expect(
      references('{{ define "r" }}{{ .x }}{{ template "r" . }}{{ end }}{{ template "r" . }}'),
    ).to.deep.equal(['x']);
    expect(references('{{ if eq .input.a (index .results "b") }}{{ end }}')).to.deep.equal([
      'input.a',
      'results',
    ]);
  });

  it('lists the functions of all its templates', () => {
    const template = parseTemplate(
      '{{ define "t" }}{{ lower . }}{{ end }}{{ upper (trim .a) | quote }}{{ upper "x" }}',
    );
    expect([...template.functionNames].sort()).to.deep.equal(['lower', 'quote', 'trim', 'upper']);
  });

  it('prints the canonical form', () => {
    const print = (text: string): string => parseTemplate(text).print();
    expect(print('{{  .a|printf   "%d"  (  index .b 1 ).c }}')).to.equal(
      '{{.a | printf "%d" (index .b 1).c}}',
    );
    expect(print('a{{- if .x -}} b {{ else if .y }}c{{ end }}')).to.equal(
      'a{{if .x}}b {{else}}{{if .y}}c{{end}}{{end}}',
    );
    expect(print('{{ range $i,$x:=.l }}{{break}}{{ end }}')).to.equal(
      '{{range $i, $x := .l}}{{break}}{{end}}',
    );
    expect(print('{{ block "b" . }}x{{ end }}')).to.equal('{{template "b" .}}{{define "b"}}x{{end}}');
  });

  it('reports errors with kind, place, node and reason', () => {
    const parse = caught(() => parseTemplate('a\n{{ .x | nope }}'));
    expect(parse).to.include({
      kind: 'parse',
      line: 2,
      templateName: 'template',
      reason: 'function "nope" not defined',
    });
    expect(parse.message).to.equal('template: template:2: function "nope" not defined');
    const exec = caught(() => parseTemplate('é {{ .a.b }}', { name: 'args' }).render({ a: {} }));
    expect(exec).to.include({
      kind: 'exec',
      line: 1,
      column: 8,
      node: '.a.b',
      reason: 'map has no entry for key "b"',
    });
    expect(exec.message).to.equal(
      'template: args:1:8: executing "args" at <.a.b>: map has no entry for key "b"',
    );
  });

  it('uses the clock, zone and randomness of its options', () => {
    const options = {
      now: () => new Date('2024-02-29T23:30:00.5Z'),
      timeZone: 'Europe/Berlin',
      random: (bytes: Uint8Array) => void bytes.fill(7),
    };
    const render = (text: string): string => parseTemplate(text, options).render({});
    expect(render('{{ now }}')).to.equal('2024-03-01 00:30:00.5 +0100 CET');
    expect(
      render('{{ ago (toDate "2006-01-02" "2024-02-29") }} {{ date "15:04" .x }}'.replace('.x', 'nil')),
    ).to.equal('24h30m1s 00:30');
    expect(render('{{ uuidv4 }}')).to.equal('07070707-0707-4707-8707-070707070707');
    expect(render('{{ randAlpha 5 }} {{ randInt 1 10 }}')).to.equal(
      render('{{ randAlpha 5 }} {{ randInt 1 10 }}'),
    );
  });

  it('reads the clock once per execution', () => {
    let calls = 0;
    const now = (): Date => new Date(calls++ * 1000);
    expect(parseTemplate('{{ now | unixEpoch }} {{ now | unixEpoch }}', { now }).render({})).to.equal('0 0');
  });

  it('has every function of text/template and sprig 3.3.0', () => {
    // 211 of sprig and 19 of text/template; slice is in both.
    expect(selectFunctions([]).size).to.equal(211 + 18);
  });
});
