import { GatewayError } from 'pegboard';
import { fillReferences } from 'pegboard/kit';
import type { Env, Finding } from 'pegboard';
import type { VaultRedisConfig } from './config.ts';

const MIN_SECRET_CHARS = 32;
const KEYS = [
  'url',
  'username',
  'password',
  'sentinelUsername',
  'sentinelPassword',
  'ca',
  'cert',
  'key',
  'secret',
] as const;
type Key = (typeof KEYS)[number];

export interface FilledConfig {
  readonly config: VaultRedisConfig;
  /** Why it cannot be used; contains no value. */
  readonly findings: readonly Finding[];
}

/** The configuration with its references `${env:…}` and `${file:…}` filled in. */
export function filledConfig(given: VaultRedisConfig, directory: string, env: Env): FilledConfig {
  const filled = KEYS.map((key) => {
    const texts = [given[key] ?? []].flat();
    const { values, faults } = fillReferences(Object.fromEntries(texts.entries()), directory, env);
    return { key, texts: Object.values(values), faults };
  });
  const findings = filled.flatMap(({ key, texts, faults }): Finding[] => {
    const messages =
      faults.length > 0 ? faults.map(({ message }) => message) : texts.flatMap((text) => faultOf(key, text));
    return messages.map((message) => ({ path: [key], message: `${key} ${message}` }));
  });
  const parts = filled
    .filter(({ texts }) => texts.length > 0)
    .map(({ key, texts }) => [key, key === 'url' || key === 'secret' ? texts : texts[0]] as const);
  return { config: { ...given, ...Object.fromEntries(parts) }, findings };
}

/** @throws GatewayError CONFIG_INVALID naming the key */
export function usableConfig(given: VaultRedisConfig, directory: string): VaultRedisConfig {
  const { config, findings } = filledConfig(given, directory, process.env);
  const [finding] = findings;
  if (finding === undefined) return config;
  throw new GatewayError('CONFIG_INVALID', `plugins.vault-redis.config.${finding.message}`);
}

function faultOf(key: Key, text: string): readonly string[] {
  if (key === 'url' && !(/^rediss?:\/\//.test(text) && URL.canParse(text)))
    return ['must be a URL that begins with redis:// or rediss://'];
  if (key === 'secret' && text.length < MIN_SECRET_CHARS)
    return [`must have at least ${MIN_SECRET_CHARS} characters; make one with: openssl rand -base64 32`];
  return [];
}
