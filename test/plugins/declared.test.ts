import { join } from 'node:path';
import { expect } from 'chai';
import type { Plugin } from '../../kernel/index.ts';
import { builtInNames, loadBuiltIn } from '../../kernel/loader.ts';
import * as contracts from '../../plugins/contracts.ts';
import { sourcesBelow, textOf } from '../support/sources.ts';
import { tokensOf } from '../support/tokens.ts';

const TOKENS = new Map(tokensOf(contracts).map(([name, { id }]) => [name, id]));

describe('The manifests of the built-in plugins', () => {
  let plugins: readonly Plugin[];
  before(async () => {
    plugins = await Promise.all((await builtInNames()).map(loadBuiltIn));
  });

  it('declare every capability of another plugin that the plugin looks up, also by the kit', () => {
    const undeclared = plugins.flatMap((plugin) => {
      const declared = new Set(allOf(plugin));
      return [...usedBy(plugin.name)].filter((id) => !declared.has(id)).map((id) => `${plugin.name}: ${id}`);
    });
    expect(undeclared).to.deep.equal([]);
  });

  it('ask for no capability that the plugin does not look up, and for none twice', () => {
    const odd = plugins.flatMap(({ name, requires = [], uses = [], asks = [], provides = [] }) => {
      const before = [...requires, ...uses, ...provides].map(({ id }) => id);
      const used = usedBy(name, (path) => path !== `plugins/${name}/index.ts`);
      const inIndex = textOf(`plugins/${name}/index.ts`);
      return asks
        .filter(({ id }) => before.includes(id) || !(used.has(id) || timesIn(inIndex, nameOf(id)) > 2))
        .map(({ id }) => `${name}: ${id}`);
    });
    expect(odd).to.deep.equal([]);
  });
});

/** Ids of the capabilities whose tokens a plugin's files import, or those of the kit that they import. */
function usedBy(name: string, isCounted: (path: string) => boolean = () => true): ReadonlySet<string> {
  const seen = new Set(sourcesBelow(`plugins/${name}`).filter(isCounted));
  const ids = new Set<string>();
  for (const path of seen)
    for (const { names, from } of valuesImportedBy(path)) {
      if (from.startsWith('plugins/kit/')) seen.add(from);
      for (const id of names.map((one) => TOKENS.get(one)))
        if (id !== undefined && from.startsWith('plugins/contracts/')) ids.add(id);
    }
  return ids;
}

function valuesImportedBy(path: string): { readonly names: readonly string[]; readonly from: string }[] {
  const pattern = /^(?:import|export) \{([^}]*)\} from '(\.[^']+)'/gm;
  return [...textOf(path).matchAll(pattern)].map(([, names = '', specifier = '']) => ({
    names: names.split(',').map((name) => name.trim().split(' ')[0] ?? ''),
    from: join(path, '..', specifier),
  }));
}

function allOf({ requires = [], uses = [], asks = [], provides = [] }: Plugin): readonly string[] {
  return [...requires, ...uses, ...asks, ...provides].map(({ id }) => id);
}

function nameOf(wanted: string): string {
  return [...TOKENS].find(([, id]) => id === wanted)?.[0] ?? wanted;
}

function timesIn(text: string, name: string): number {
  return text.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;
}
