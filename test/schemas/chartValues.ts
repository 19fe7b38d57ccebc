import type { JsonObject } from '../../kernel/index.ts';
import { composedConfig } from './composedConfig.ts';

/** The schema of the chart's values with `$defs` written anew: `config` is all of config.yaml, with the keys of all plugins. */
export function chartValues(schema: JsonObject): JsonObject {
  const { config, definitions } = composedConfig();
  const described = { ...config, description: 'All of config.yaml, over what the chart sets.' };
  return { ...schema, $defs: { config: described, ...definitions } };
}
