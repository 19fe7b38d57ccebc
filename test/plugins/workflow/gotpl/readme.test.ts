import { createContext, runInContext } from 'node:vm';
import { expect } from 'chai';
import * as gotpl from '@pegboard/gotpl';
import { textOf } from '../../../support/sources.ts';

const FOLDER = 'plugins/workflow/gotpl';
const README = textOf(`${FOLDER}/README.md`);

/** The text below a heading, up to the next one. */
function section(heading: string): string {
  return README.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
}
/** The cells of the table in it, below its head. */
function rows(heading: string): string[][] {
  const lines = section(heading).match(/^\|.*\|$/gm) ?? [];
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', ''))
      .slice(1, -1),
  );
}
function membersOf(file: string, name: string): string[] {
  const [, body = ''] = new RegExp(`export interface ${name} \\{\n([^}]*)\\}`).exec(textOf(file)) ?? [];
  return [...body.matchAll(/^ {2}readonly (\w+)/gm)].map(([, member]) => member!);
}
/** `64 KiB` and `1,000` as numbers. */
function numberIn(text: string): number {
  const [, digits = '', unit = ''] = /^([\d,]+) ?(KiB|MiB)?$/.exec(text) ?? [];
  return Number(digits.replaceAll(',', '')) * ({ KiB: 1024, MiB: 1024 ** 2 }[unit] ?? 1);
}

describe('gotpl: its README', () => {
  it('shows calls that return what it says', () => {
    const [, code = ''] = /```ts\n([^]*?)```/.exec(README) ?? [];
    const context = createContext({ parseTemplate: gotpl.parseTemplate });
    const lines = code.split('\n').filter((line) => line !== '' && !line.startsWith('import '));
    expect(lines.filter((line) => line.includes(' // '))).to.have.lengthOf(4);
    for (const line of lines) {
      const [statement = '', wanted] = line.split(' // ');
      const run = (): unknown => runInContext(statement, context);
      if (wanted?.startsWith('TemplateError: ') === true)
        expect(run).to.throw(gotpl.TemplateError, wanted.replace('TemplateError: ', ''));
      else if (wanted === undefined) run();
      else expect(run(), line).to.equal(runInContext(wanted, context));
    }
  });

  it('names everything that the index exports, and all members of a template', () => {
    const lists = [...textOf(`${FOLDER}/index.ts`).matchAll(/\{([^}]*)\}/g)].map(([, names]) => names!);
    const exported = lists.flatMap((names) => names.match(/\w+/g) ?? []);
    expect(exported).to.include.members(Object.keys(gotpl));
    const code =
      section('Interface')
        .match(/`[^`]+`/g)
        ?.join(' ') ?? '';
    expect(exported.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).to.deep.equal([]);
    const methods = Object.getOwnPropertyNames(gotpl.Template.prototype);
    const own = ['constructor', 'run'];
    expect(
      methods.filter((name) => !own.includes(name) && !code.includes(`template.${name}(`)),
    ).to.deep.equal([]);
  });

  it('has all options, and all limits with their defaults', () => {
    expect(rows('Options').map(([name]) => name)).to.deep.equal(
      membersOf(`${FOLDER}/options.ts`, 'TemplateOptions'),
    );
    const limits = rows('Bounds').map(([name = '', value = '']) => [name, numberIn(value)] as const);
    expect(limits).to.deep.equal(Object.entries(gotpl.DEFAULT_LIMITS));
  });

  it('lists the functions that are denied', () => {
    const [, list = ''] = /allowed by name: ([^:]*):/.exec(section('What differs from Go')) ?? [];
    expect(list.match(/\w+/g)?.sort()).to.deep.equal([...gotpl.DENIED_BY_DEFAULT].sort());
  });
});
