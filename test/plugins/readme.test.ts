import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import * as api from '../../kernel/index.ts';
import * as contracts from '../../plugins/contracts.ts';
import * as kit from '../../plugins/kit.ts';
import type { Capability, Plugin } from '../../kernel/index.ts';
import { STAGE } from '../../kernel/index.ts';
import { createHooks } from '../../kernel/hooks.ts';
import { builtInNames, loadBuiltIn } from '../../kernel/loader.ts';
import { bootGateway } from '../support/gateway.ts';
import { codeIn, tableBelow } from '../schemas/markdown.ts';
import { declaredIn } from '../support/declared.ts';
import { ROOT, sourcesBelow, textOf } from '../support/sources.ts';
import { tapsOfPlugins } from '../support/taps.ts';
import { tokensOf } from '../support/tokens.ts';
import { markdown } from './picture.ts';

const README = textOf('plugins/README.md');
const REFERENCE = textOf('plugins/REFERENCE.md');
/** So that one sitting suffices to read it. */
const MAX_LINES = 250;
const CONTRACTS = sourcesBelow('plugins/contracts');
const TOKENS = tokensOf(api, contracts);

const ROLES = [...REFERENCE.slice(REFERENCE.indexOf('## The built-in plugins')).matchAll(/^### (.+)$/gm)].map(
  ([, role = '']) => role,
);

describe('plugins/README.md and plugins/REFERENCE.md', () => {
  let builtIns: readonly Plugin[];
  before(async () => {
    builtIns = await Promise.all((await builtInNames()).map(loadBuiltIn));
  });

  it('has a row for every capability of the public API, with its providers', async () => {
    const { kernel } = await bootGateway({ isWatched: true });
    const providers = [
      ...TOKENS.filter(([, { id }]) => kernel.registry.all(id).length > 0).map(([, { id }]) => ({
        id,
        owner: 'kernel',
      })),
      ...builtIns.flatMap(({ name, provides = [] }) => provides.map(({ id }) => ({ id, owner: name }))),
    ];
    const expected = TOKENS.map(([token, { id, cardinality }]) => {
      const owners = providers.filter((one) => one.id === id).map(({ owner }) => owner);
      return [token, id, cardinality, owners.sort().join(', ') || '–'];
    });
    const rows = tableBelow(REFERENCE, 'Capabilities').map(([token = '', id = '', many, by]) => [
      codeIn(token)[0],
      codeIn(id)[0],
      many,
      by,
    ]);
    expect(rows).to.deep.equal(expected.sort(byFirst));
  });

  it('has a row for every built-in plugin, with what it provides, requires and owns, and its keys', () => {
    const expected = builtIns.map(({ name, provides = [], requires = [], kinds = [], configSchema }) => [
      `[${name}](${name})`,
      namesOf(provides),
      namesOf(requires),
      kinds.map((kind) => kind.name),
      Object.keys(configSchema['properties'] ?? {}).length === 0
        ? '–'
        : `[keys](../schemas/README.md#plugin-${name})`,
    ]);
    const rows = ROLES.flatMap((role) => tableBelow(REFERENCE, role)).map(
      ([plugin, , provides = '', requires = '', kinds = '', keys]) => [
        plugin,
        codeIn(provides).sort(),
        codeIn(requires).sort(),
        kinds === '–' ? [] : kinds.split(', '),
        keys,
      ],
    );
    expect(rows.sort(byPlugin)).to.deep.equal(expected);
  });

  it('has the picture of who waits for whom; npm run tables writes it', async () => {
    expect(REFERENCE).to.contain(`\n\n${await markdown()}\n\n`);
  });

  it('has a row for every error code that a contract declares, with the same meaning', () => {
    const expected = CONTRACTS.flatMap((path) =>
      [...declaredIn(path, 'ErrorCodes')].map(([code, meaning]) => [code, basename(path, '.ts'), meaning]),
    );
    expect(tableBelow(REFERENCE, 'Error codes').sort(byFirst)).to.deep.equal(expected.sort(byFirst));
    expect(new Set(expected.map(([code]) => code)).size, 'each declared once').to.equal(expected.length);
  });

  it('has every event that a contract declares, beside the contract', () => {
    const expected = CONTRACTS.map((path) => [
      basename(path, '.ts'),
      [...declaredIn(path, 'EventMap').keys()],
    ])
      .filter(([, types = '']) => types.length > 0)
      .sort(byPlugin);
    const rows = tableBelow(REFERENCE, 'Events').map(([contract, types = '']) => [contract, codeIn(types)]);
    expect(rows).to.deep.equal(expected);
  });

  it('has every event that a contract declares in the README of a plugin that names its type in code', () => {
    const named = builtIns.map(({ name }) => ({
      readme: textOf(`plugins/${name}/README.md`),
      code: sourcesBelow(`plugins/${name}`).map(textOf).join('\n'),
    }));
    // Some types are put together, as in `server.${what}Changed`.
    const isOf = (type: string, code: string): boolean =>
      [`'${type}'`, `\`${type.split('.', 1).join()}.\${`].some((text) => code.includes(text));
    const without = CONTRACTS.flatMap((path) => [...declaredIn(path, 'EventMap').keys()]).filter(
      (type) => !named.some(({ readme, code }) => isOf(type, code) && isNamed(readme, type)),
    );
    expect(without).to.deep.equal([]);
  });

  it(`says how to write a plugin in at most ${MAX_LINES} lines`, () => {
    expect(README.trimEnd().split('\n').length).to.be.most(MAX_LINES);
  });

  it("names only existing files, and so do the plugins' READMEs", () => {
    const absent = builtIns.flatMap(({ name }) => {
      const there = new Set(sourcesBelow(`plugins/${name}`).flatMap((path) => [basename(path), path]));
      const named = textOf(`plugins/${name}/README.md`).match(/(?<![\w./-])[\w/]+\.ts\b/g) ?? [];
      return named.filter((file) => !there.has(file) && !there.has(`plugins/${name}/${file}`));
    });
    expect(absent).to.deep.equal([]);
  });

  it('links a README for every built-in plugin', () => {
    const without = builtIns.filter(({ name }) => !existsSync(join(ROOT, `plugins/${name}/README.md`)));
    expect(without.map(({ name }) => name)).to.deep.equal([]);
  });

  it('names every member of the manifest and of the Scope', () => {
    const contract = textOf('kernel/contracts/plugin.ts');
    expect(firstColumn(README, 'Manifest').sort()).to.deep.equal(
      membersOf(contract, 'PluginDefinition').sort(),
    );
    expect(firstColumn(README, 'Scope').sort()).to.deep.equal(membersOf(contract, 'Scope').sort());
  });

  it('names every value of the kit, beside its subject', () => {
    const exported = [...textOf('plugins/kit.ts').matchAll(/^export \{([^}]*)\} from '\.\/kit\/(\w+)\//gm)];
    const expected = exported.flatMap(([, names = '', subject = '']) =>
      names.match(/\w+/g)?.map((name) => `${subject}: ${name}`),
    );
    const rows = tableBelow(REFERENCE, 'The kit').flatMap(([subject = '', names = '']) =>
      codeIn(names).map((name) => `${subject}: ${name}`),
    );
    expect(rows.sort()).to.deep.equal(expected.sort());
    expect(rows).to.have.length(Object.keys(kit).length);
  });

  it('has a row for every tap of a built-in plugin, in the order in which they run', () => {
    const stageOf = (stage: string): number => (STAGE as Readonly<Record<string, number>>)[stage] ?? NaN;
    const rows = tableBelow(REFERENCE, 'Taps').map(([hook, stage, plugin, how]) =>
      [hook, stage, plugin, how].join(' '),
    );
    const expected = tapsOfPlugins().map(({ hook, stage, plugin, wraps }) => {
      expect(stageOf(stage), `${plugin} taps ${hook} at a stage of STAGE`).to.be.finite;
      return [`\`${hook}\``, `${stage} (${stageOf(stage)})`, plugin, wraps ? 'wraps' : ''].join(' ');
    });
    expect([...rows].sort()).to.deep.equal([...expected].sort());
    const numbers = tableBelow(REFERENCE, 'Taps').map(([hook = '', stage = '']) => [
      hook,
      Number(/\d+/.exec(stage)?.[0]),
    ]);
    const inOrder = numbers.every(([hook, at = 0], index) => {
      const [before, earlier = 0] = numbers[index - 1] ?? [];
      return before !== hook || earlier <= at;
    });
    expect(inOrder).to.equal(true);
  });

  it('names every hook and every stage with its number', () => {
    const [hooks, stages] = [
      tableBelow(README, 'Hooks and stages'),
      tableBelow(README, 'Hooks and stages', 1),
    ];
    expect(hooks.map(([hook = '']) => codeIn(hook)[0]).sort()).to.deep.equal(
      Object.keys(createHooks()).sort(),
    );
    const expected = Object.entries(STAGE).map(([name, number]) => [`STAGE.${name}`, String(number)]);
    expect(stages.map(([name = '', number]) => [codeIn(name)[0], number])).to.deep.equal(expected);
  });

  it('names every function of the test kit', () => {
    const kit = textOf('test/contract/index.ts');
    const exported = [...kit.matchAll(/^export \{ (\w+) \}/gm)].map(([, name]) => name);
    expect(
      firstColumn(REFERENCE, 'Test kit')
        .map((name) => name.split('(')[0])
        .sort(),
    ).to.deep.equal(exported.sort());
  });
});

/** The name in full, or without its noun after another one with that noun. */
function isNamed(readme: string, type: string): boolean {
  const [noun = '', verb = ''] = type.split('.');
  return new RegExp(`\\b${noun}\\.[\\w.,\\s\\x60]*\\b${verb}\\b`).test(readme);
}

function namesOf(capabilities: readonly Capability<unknown>[]): string[] {
  return capabilities.map(({ id }) => TOKENS.find(([, token]) => token.id === id)?.[0] ?? id).sort();
}

function byFirst([a = '']: readonly string[], [b = '']: readonly string[]): number {
  return a.toLowerCase() < b.toLowerCase() ? -1 : 1;
}

function byPlugin([a = '']: readonly unknown[], [b = '']: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}

function firstColumn(text: string, heading: string): string[] {
  return tableBelow(text, heading).map(([cell = '']) => codeIn(cell)[0] ?? '');
}

/** Names of the members of an interface, read from its source, because types do not exist at run time. */
function membersOf(source: string, name: string): string[] {
  const body = new RegExp(`export interface ${name}<C> \\{\\n(.*?)\\n\\}`, 's').exec(source)?.[1] ?? '';
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[(:<]/gm)].map(([, member = '']) => member);
}
