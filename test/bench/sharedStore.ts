/** A Redis for the gateways that share their state. */
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { freePort } from '../support/everything.ts';
import { HAS_REDIS, NO_REDIS, answers } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { LOAD_CORE, launch } from './processes.ts';

let url: Promise<string> | undefined;

/** Writes a configuration whose state is in Redis. @throws Error with what to type if there is no redis-server */
export async function writeShared(directory: string): Promise<void> {
  const { plugins } = await sharedSettings(directory);
  writeFileSync(join(directory, 'config.yaml'), JSON.stringify({ plugins }));
}

/** `plugins` of the configuration in that directory, and the address of Redis. @throws Error as writeShared() */
export async function sharedSettings(directory: string) {
  if (!HAS_REDIS) throw new Error(NO_REDIS);
  url ??= startServer();
  // Each gateway has keys of its own.
  const config = { url: await url, keyPrefix: `${basename(directory)}:` };
  return { url: config.url, plugins: { 'vault-file': false, 'vault-redis': { config } } };
}

/** It ends with the bench. */
async function startServer(): Promise<string> {
  const port = await freePort();
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--save', ''];
  launch(['redis-server', ...place], { core: LOAD_CORE });
  await until(() => answers(port), { what: 'redis-server' });
  return `redis://127.0.0.1:${port}`;
}
