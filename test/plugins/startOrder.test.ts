import { expect } from 'chai';
import * as api from '../../kernel/index.ts';
import type { JsonObject, Plugin } from '../../kernel/index.ts';
import { wantedPlugins } from '../../kernel/config/plugins.ts';
import { loadSettings } from '../../kernel/config/settings.ts';
import { isError } from '../../kernel/lib/isError.ts';
import { builtInNames, loadBuiltIn } from '../../kernel/loader.ts';
import type { Wanted } from '../../kernel/contracts/plugin.ts';
import { planMove } from '../../kernel/plan.ts';
import { makeDirectory } from '../support/directory.ts';
import { composeGateway } from '../support/gateway.ts';
import { tokensOf } from '../support/tokens.ts';

const STORES = ['store-file', 'store-kubernetes'] as const;
const VAULTS = ['vault-file', 'vault-memory', 'vault-redis'] as const;
/** Reasons for which a set has no two of these: each provides the same. */
const ALTERNATIVES: readonly (readonly string[])[] = [STORES, VAULTS, ['vault-redis', 'vault-workers']];

const ORIGIN = 'https://tools.example.com';
const SIGN_IN = {
  enabled: true,
  baseUrl: ORIGIN,
  resourceIdentifier: `${ORIGIN}/mcp`,
  idp: { issuerUrl: 'https://login.example.com', clientId: 'pegboard', clientSecretFile: 'secret' },
};
const REDIS = { 'vault-file': false, 'vault-redis': { config: { url: 'redis://redis.data:6379' } } };
const TELEMETRY = { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_TRACES_EXPORTER: 'otlp' };

/** Ways to run Pegboard, and config.yaml for each. */
const MODES: Readonly<Record<string, JsonObject>> = {
  'without settings': {},
  'over stdio': { aggregator: { transport: 'stdio' } },
  'over HTTP+SSE': { aggregator: { transport: 'sse' } },
  'without an endpoint': { aggregator: { enabled: false } },
  'with admin pages': { aggregator: { admin: { enabled: true } } },
  'with state in memory': { plugins: { 'vault-file': false, 'vault-memory': {} } },
  'as one of several replicas': { plugins: REDIS },
  'with workers': { plugins: { workers: {} } },
  'with workers and Redis': { plugins: { ...REDIS, workers: {} } },
  'where people sign in': {
    aggregator: { oauth: { server: SIGN_IN, mcpClient: { enabled: true, publicUrl: ORIGIN } } },
    access: [{ groups: ['staff'], toolset: ['preset:read-only'] }],
    required: ['auth-server'],
  },
  'where people sign in at servers only, over stdio': {
    aggregator: { transport: 'stdio', oauth: { mcpClient: { enabled: true } } },
  },
  'with all that the chart can set': {
    aggregator: {
      host: '0.0.0.0',
      oauth: { server: SIGN_IN, mcpClient: { enabled: true, publicUrl: ORIGIN } },
    },
    required: ['auth-server'],
    plugins: { ...REDIS, audit: {}, limits: { config: {} }, deny: { config: {} }, metrics: { config: {} } },
  },
};

async function wantedIn(mode: JsonObject, orchestrator: boolean): Promise<readonly Wanted[]> {
  const { path } = makeDirectory({ 'config.yaml': JSON.stringify({ ...mode, orchestrator }) });
  const { settings, origin, issues } = await loadSettings(path, () => []);
  if (settings === undefined) throw new Error(JSON.stringify(issues));
  const found = await wantedPlugins({ settings, origin, directory: path, env: TELEMETRY });
  expect([...issues, ...found.issues].filter(isError)).deep.equal([]);
  return found.wanted;
}

/** Names in start order. Nothing is started. @throws GatewayError CONFIG_REFERENCE */
async function orderOf(wanted: readonly Wanted[]): Promise<readonly string[]> {
  const { kernel } = await composeGateway();
  const provided = tokensOf(api).map(([, { id }]) => id);
  const byKernel = new Set(provided.filter((id) => kernel.registry.all(id).length > 0));
  return planMove(new Map(), wanted, byKernel).order.map(({ plugin }) => plugin.name);
}

describe('the start order of the built-in plugins', () => {
  for (const [mode, config] of Object.entries(MODES))
    for (const store of STORES)
      it(`exists ${mode}, with definitions of ${store}`, async () => {
        const wanted = await wantedIn(config, store === 'store-kubernetes');
        const order = await orderOf(wanted);
        expect(order).length(wanted.length).and.include(store);
        expect(order.filter((name) => STORES.some((one) => one === name))).deep.equal([store]);
      });

  // A circle in a smaller set is one in a larger set as well.
  for (const store of STORES)
    for (const vault of VAULTS)
      it(`exists for all that can run beside one another with ${store} and ${vault}`, async () => {
        const isLeftOut = (name: string): boolean =>
          ALTERNATIVES.some(
            (others) =>
              others.includes(name) &&
              name !== store &&
              name !== vault &&
              others.some((other) => other === store || other === vault),
          );
        // What needs a cluster.
        const isElsewhere = (name: string): boolean => name === 'pods' && store !== 'store-kubernetes';
        const plugins = (await allPlugins()).filter(({ name }) => !isLeftOut(name) && !isElsewhere(name));
        expect(await orderOf(plugins.map((plugin) => ({ plugin, config: {} })))).length(plugins.length);
      });

  it('has one of each two plugins that provide what only one may provide', async () => {
    const providers = new Map<string, string[]>();
    for (const { name, provides = [] } of await allPlugins())
      for (const { id, cardinality } of provides)
        if (cardinality === 'one') providers.set(id, [...(providers.get(id) ?? []), name]);
    const contested = [...providers.values()].filter((names) => names.length > 1);
    const sets = new Map(contested.map((names) => [names.join(), names]));
    expect([...sets.values()]).have.deep.members(ALTERNATIVES.map((names) => [...names]));
  });
});

async function allPlugins(): Promise<readonly Plugin[]> {
  return Promise.all((await builtInNames()).map(loadBuiltIn));
}
