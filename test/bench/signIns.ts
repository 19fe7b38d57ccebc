/** What people who are signed in cost: memory of the gateway, and bytes in the vault. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import type { SignInClient } from '../support/authServer.ts';
import type { HeapReading } from './heapProbe.ts';
import { readHeap } from './growth.ts';
import { cleanEnv, launch, stopChild, urlOf } from './processes.ts';
import { startQuickProvider } from './quickProvider.ts';
import { clientOf, signInAs, writeSettings } from './quickSignIn.ts';
import { sharedSettings } from './sharedStore.ts';
import { modulePath, pegboardCommand } from './targets.ts';
import type { Upstream } from './targets.ts';

const PARALLEL = 8;
const WARM_UP_PEOPLE = 300;

export interface SignInGrowth extends HeapReading {
  readonly vaultBytes: number;
}

/** @param isShared whether the vault is in Redis */
export async function measureSignIns(
  people: number,
  isShared: boolean,
  { upstream, directory }: { readonly upstream: Upstream; readonly directory: string },
): Promise<SignInGrowth> {
  const provider = await startQuickProvider();
  const shared = isShared ? await sharedSettings(directory) : undefined;
  writeSettings(directory, provider, shared?.plugins);
  const probe = pathToFileURL(modulePath('heapProbe.js')).href;
  const command = pegboardCommand(directory, upstream, ['--expose-gc', '--import', probe]);
  const child = launch(command, { env: cleanEnv(), hasChannel: true });
  const redis = shared === undefined ? undefined : new Redis(shared.url);
  const vaultBytes = async (): Promise<number> => {
    if (redis === undefined) return statSync(join(directory, 'state/vault/vault.log')).size;
    return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  };
  const read = async (): Promise<SignInGrowth> => ({
    ...(await readHeap(child)),
    vaultBytes: await vaultBytes(),
  });
  try {
    const client = await clientOf(new URL(await urlOf(child, 'pegboard')).origin);
    await signInAll(client, 0, WARM_UP_PEOPLE);
    const before = await read();
    await signInAll(client, WARM_UP_PEOPLE, people);
    const after = await read();
    return {
      heapBytes: after.heapBytes - before.heapBytes,
      rssBytes: after.rssBytes - before.rssBytes,
      vaultBytes: after.vaultBytes - before.vaultBytes,
    };
  } finally {
    redis?.disconnect();
    await stopChild(child);
    provider.close();
  }
}

async function signInAll(client: SignInClient, first: number, count: number): Promise<void> {
  let next = first;
  const worker = async (): Promise<void> => {
    while (next < first + count) await signInAs(client, `person-${next++}`);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}
