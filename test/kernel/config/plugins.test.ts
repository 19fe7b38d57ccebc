import { expect } from 'chai';
import { wantedPlugins } from '../../../kernel/config/plugins.ts';
import { defaultSettings } from '../../../kernel/config/settings.ts';
import type { Issue } from '../../../kernel/contracts/config.ts';
import type { Settings } from '../../../kernel/contracts/settings.ts';
import { builtInNames } from '../../../kernel/loader.ts';

async function planOf(more: Partial<Settings>): Promise<{ names: string[]; issues: readonly Issue[] }> {
  const settings = { ...defaultSettings(), ...more };
  const origin = { locate: (path: readonly (string | number)[]) => ({ file: path.join('.') }) };
  const { wanted, issues } = await wantedPlugins({ settings, origin, directory: '/', env: {} });
  return { names: wanted.map(({ plugin }) => plugin.name), issues };
}

describe('wantedPlugins', () => {
  it('switches a plugin on that is off until it is configured, also by an empty entry', async () => {
    const before = (await planOf({})).names;
    for (const name of ['audit', 'cassettes', 'deny', 'limits', 'vault-memory']) {
      expect(before).not.to.include(name);
      for (const entry of [{}, { config: {} }])
        expect((await planOf({ plugins: { [name]: entry } })).names).to.include(name);
    }
  });

  it('leaves no plugin that has an entry off in silence', async () => {
    for (const transport of ['streamable-http', 'sse', 'stdio'] as const)
      for (const name of await builtInNames()) {
        const aggregator = { ...defaultSettings().aggregator, transport };
        const { names, issues } = await planOf({ aggregator, plugins: { [name]: {} } });
        const told = issues.filter(({ file }) => file === `plugins.${name}`);
        expect(names.includes(name) !== told.length > 0, `${name} with ${transport}`).to.equal(true);
        for (const { severity, message } of told) {
          expect(severity).to.equal('warning');
          expect(message).to.equal(
            `plugin ${name} is configured, but it does not run with these settings; ${name}: false says that this is meant`,
          );
        }
      }
  });

  it('says nothing of a plugin that is left out by default or switched off', async () => {
    const plugins = { 'transport-stdio': false, audit: false };
    expect((await planOf({ plugins })).issues).to.deep.equal([]);
  });
});
