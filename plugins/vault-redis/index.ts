import { ConfigControl, definePlugin, readSchema, whenConfigured } from 'pegboard';
import { Readiness } from '../contracts/http.ts';
import { MetricSource } from '../contracts/metrics.ts';
import { Vault } from '../contracts/vault.ts';
import { Channel, Peers, Quotas, SharedKeys } from '../contracts/processes.ts';
import type { Finding } from 'pegboard';
import type { VaultRedisConfig } from './config.ts';
import { filledConfig } from './filledConfig.ts';

export const plugin = definePlugin<VaultRedisConfig>({
  name: 'vault-redis',
  api: 1,
  configSchema: readSchema('config/vault-redis'),
  // Only one vault runs at a time, and vault-file is the default, so this one needs an entry in config.yaml.
  enabled: whenConfigured('vault-redis'),
  requires: [ConfigControl],
  provides: [Vault, Channel, MetricSource, Peers, Quotas, Readiness, SharedKeys],
  check: (config) => {
    const { url, cluster, sentinelMaster, cert, key } = config;
    const idle = idleKeys(config);
    if (idle.length > 0) return idle;
    if ((cert === undefined) !== (key === undefined)) {
      const [missing, given] = cert === undefined ? (['cert', 'key'] as const) : (['key', 'cert'] as const);
      return [{ path: [given], message: `${given} is of no use without ${missing}; set both` }];
    }
    const isList = Array.isArray(url) && url.length > 1;
    if (cluster && sentinelMaster !== undefined)
      return [{ path: ['cluster'], message: 'cluster and sentinelMaster exclude each other; remove one' }];
    if (!isList || cluster || sentinelMaster !== undefined) return [];
    const message =
      'url lists several hosts; set cluster: true, or sentinelMaster to the name that the sentinels watch';
    return [{ path: ['url'], message }];
  },
  review: ({ config, directory, env }) => filledConfig(config, directory, env).findings,
  // Only here, because each start reads the manifests of all plugins: ioredis takes 30 ms and 9 MB.
  apply: async (scope) => {
    const { provideState } = await import('./provideState.ts');
    provideState(scope);
  },
});

/** Keys that do nothing without another one. A url that is a reference may yet be one with TLS. */
function idleKeys(config: VaultRedisConfig): readonly Finding[] {
  const idle: Finding[] = [];
  if (String([config.url].flat()[0]).startsWith('redis://'))
    for (const key of ['ca', 'cert', 'key', 'serverName'] as const)
      if (config[key] !== undefined)
        idle.push({ path: [key], message: `${key} is of no use without TLS; begin url with rediss://` });
  if (config.sentinelMaster === undefined)
    for (const key of ['sentinelUsername', 'sentinelPassword'] as const)
      if (config[key] !== undefined)
        idle.push({ path: [key], message: `${key} is of no use without sentinelMaster; set both` });
  return idle;
}
