import { expect } from 'chai';
import { parseTemplate, TemplateError } from '@pegboard/gotpl';

/** Budgets far below what the templates spend, so that the clock decides nothing. */
const options = { limits: { maxNodes: 20_000, maxTimeMs: 60_000 } };
const text = 'a b '.repeat(200_000);

function reason(template: string): string {
  try {
    return parseTemplate(template, options).render({ text });
  } catch (cause) {
    if (cause instanceof TemplateError) return cause.reason;
    throw cause;
  }
}

describe('gotpl: a function spends', () => {
  for (const call of [
    'upper .text',
    'trim .text',
    '.text | contains "c"',
    'eq .text "c"',
    '(now).Format .text',
  ])
    it(`for the text that it reads: ${call}`, () => {
      expect(
        reason(`{{ range until 100 }}{{ $x := ${call.replaceAll('.text', '$.text')} }}{{ end }}`),
      ).to.equal('execution budget exceeded');
    });

  for (const call of ['randAlpha 30000', 'shuffle (repeat 30000 "x")'])
    it(`for each number that it draws: ${call}`, () => {
      expect(reason(`{{ ${call} }}`)).to.contain('execution budget exceeded');
    });

  it('for the list that it reads', () => {
    expect(reason('{{ $l := until 64000 }}{{ range until 50 }}{{ $x := has "a" $l }}{{ end }}')).to.equal(
      'execution budget exceeded',
    );
  });

  for (const call of ['genPrivateKey "ed25519"', 'derivePassword 1 "long" "p" "u" "s"'])
    it(`time, looked at before each call: ${call}`, () => {
      const text = `{{ $x := ${call} }}{{ $x := ${call} }}`;
      const allow = ['genPrivateKey', 'derivePassword'];
      const template = parseTemplate(text, { allow, limits: { maxTimeMs: 0 } });
      expect(() => template.render({})).to.throw(TemplateError, 'execution time exceeded');
    });

  it('little for a short text', () => {
    expect(reason('{{ range until 1000 }}{{ upper "a" }}{{ end }}')).to.equal('A'.repeat(1000));
  });
});
