import { expect } from 'chai';
import { wantedPlugins } from '../../../kernel/config/plugins.ts';
import { defaultSettings } from '../../../kernel/config/settings.ts';
import type { Issue } from '../../../kernel/contracts/config.ts';
import type { Settings } from '../../../kernel/contracts/settings.ts';
import { builtInNames } from '../../../kernel/loader.ts';
import { makeDirectory } from '../../support/directory.ts';
import { composeGateway } from '../../support/gateway.ts';

async function planOf(more: Partial<Settings>): Promise<{ names: string[]; issues: readonly Issue[] }> {
  const settings = { ...defaultSettings(), ...more };
  const origin = { locate: (path: readonly (string | number)[]) => ({ file: path.join('.') }) };
  const { wanted, issues } = await wantedPlugins({ settings, origin, directory: '/', env: {} });
  return { names: wanted.map(({ plugin }) => plugin.name), issues };
}

describe('wantedPlugins', () => {
  it('switches on a plugin that is off until it is configured, also by an empty entry', async () => {
    const before = (await planOf({})).names;
    for (const name of ['audit', 'cassettes', 'deny', 'limits', 'vault-memory']) {
      expect(before).not.to.include(name);
      for (const entry of [{}, { config: {} }])
        expect((await planOf({ plugins: { [name]: entry } })).names).to.include(name);
    }
  });

  it('warns of every plugin that has an entry but does not run', async () => {
    for (const transport of ['streamable-http', 'sse', 'stdio'] as const)
      for (const name of await builtInNames()) {
        const aggregator = { ...defaultSettings().aggregator, transport };
        const { names, issues } = await planOf({ aggregator, plugins: { [name]: {} } });
        const told = issues.filter(({ file }) => file === `plugins.${name}`);
        expect(names.includes(name) !== told.length > 0, `${name} with ${transport}`).to.equal(true);
        for (const { severity, message } of told) {
          expect(severity).to.equal('warning');
          expect(message).to.equal(
            `plugin ${name} is configured, but it does not run with these settings; if that is intended, write ${name}: false`,
          );
        }
      }
  });

  it('does not warn of a plugin that is left out by default or switched off', async () => {
    const plugins = { 'transport-stdio': false, audit: false };
    expect((await planOf({ plugins })).issues).to.deep.equal([]);
  });
});

describe('setIssue', () => {
  const issueOf = async (plugins: string, files = {}): Promise<string> => {
    const directory = makeDirectory({ 'config.yaml': plugins, ...files });
    const gateway = await composeGateway({ directory, builtIns: 'all' });
    const [issue, ...others] = await gateway.pipeline.check();
    expect(others).to.deep.equal([]);
    return `${issue?.line}:${issue?.column} ${issue?.code} ${issue?.message}`;
  };

  it('names the line that keeps out a plugin another one requires', async () => {
    expect(await issueOf('plugins:\n  deny: true\n  front: false\n')).to.match(
      /^3:3 CONFIG_REFERENCE plugin \S+ requires front, .+; plugins\.front: false keeps the built-in one out$/,
    );
    expect(await issueOf('orchestrator: true\nplugins:\n  store-kubernetes: false\n')).to.match(
      /^3:3 CONFIG_REFERENCE plugin \S+ requires resource-store, .+; plugins\.store-kubernetes: false keeps the built-in one out$/,
    );
  });

  it('names the line of one of two plugins that exclude each other', async () => {
    expect(await issueOf('namespace: a\nplugins:\n  vault-memory: true\n  vault-file: true\n')).to.match(
      /^4:3 CONFIG_REFERENCE plugins vault-file and vault-memory both provide vault/,
    );
    expect(await issueOf('plugins:\n  deny: true\n  vault-memory: true\n')).to.match(/^3:3 /);
  });

  it('names the line of a plugin that fails in apply()', async () => {
    const apply = (body: string): Record<string, string> => ({
      'acme.mjs': `import { GatewayError } from 'pegboard';
        export const plugin = { name: 'acme', api: 1, configSchema: {}, apply(scope) { ${body} } };\n`,
    });
    const config = 'plugins:\n  deny: true\n  acme: { module: ./acme.mjs }\n';
    expect(await issueOf(config, apply("scope.tap('onCal', () => undefined);"))).to.equal(
      '3:3 PLUGIN_CONTRACT plugin acme taps the hook "onCal", which does not exist; did you mean onCall?',
    );
    expect(await issueOf(config, apply("throw new Error('boom');"))).to.equal(
      '3:3 PLUGIN_START plugin acme failed in apply(): boom',
    );
    expect(await issueOf(config, apply("throw new GatewayError('CONFIG_INVALID', 'boom');"))).to.equal(
      '3:3 CONFIG_INVALID boom',
    );
  });
});
