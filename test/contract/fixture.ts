import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PluginEntry } from '../../kernel/index.ts';

/** An entry of `plugins` for a plugin in this folder. */
export function fixture(name: string, config: Readonly<Record<string, unknown>> = {}): PluginEntry {
  return { module: fileURLToPath(new URL(`${name}${extname(import.meta.url)}`, import.meta.url)), config };
}
