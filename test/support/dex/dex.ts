import { join } from 'node:path';
import { CLIENT_ID, CLIENT_SECRET } from '../clientAtProvider.ts';
import { defer } from '../cleanup.ts';
import { makeDirectory } from '../directory.ts';
import { freePort } from '../everything.ts';
import { DEX, KUBE, folderOf, isBuilt } from '../kube/binaries.ts';
import { etcdArguments } from '../kube/serverArguments.ts';
import { serverProcess } from '../kube/serverProcess.ts';

/** bcrypt of PASSWORD. */
const HASH = '$2a$10$EJf.5MSEBjK8x6flI/weTutXVA89Quw/jRU5srs0IBlFmQCg9ecBu';
export const PASSWORD = 'pw';

/** What may differ after a restart. */
export interface DexConfig {
  /** Person → groups; none but these may sign in and refresh. */
  readonly people: Readonly<Record<string, readonly string[]>>;
  /** Its storage has a part for each. Default: `first`. */
  readonly storage?: string;
  /** Default: none. */
  readonly absoluteLifetime?: string;
}
/** A real Dex. */
export interface Dex {
  /** Ends it, and starts it with that configuration and a new signing key. */
  readonly restart: (config: DexConfig) => Promise<void>;
}

/** Skips the suite aloud where Dex and etcd have not been built. */
export function needDex(suite: Mocha.Context): void {
  if ([KUBE, DEX].every(isBuilt)) return;
  console.log('SKIPPED: no Dex here; build it once with: npm run kube:build (needs Go 1.26)');
  suite.skip();
}

/** Started over an etcd: with its own storages it waits for itself at a refresh. Ended after the run. Call it in a `before`, after `needDex`.
 *  @param port which its address has @param redirectUri of the gateway */
export async function startDex(port: number, redirectUri: string, first: DexConfig): Promise<Dex> {
  const directory = makeDirectory();
  const [etcdPort, peerPort] = [await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const issuer = `http://127.0.0.1:${port}/dex`;
  const answers = (url: string) => async (): Promise<boolean> => {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    return answer?.status === 200;
  };
  const etcd = serverProcess([join(folderOf(KUBE), 'etcd'), ...etcdArguments(directory, etcdUrl, peerPort)], {
    log: directory.at('etcd.log'),
    isReady: answers(`${etcdUrl}/health`),
  });
  const dex = serverProcess([join(folderOf(DEX), 'dex'), 'serve', directory.at('dex.json')], {
    log: directory.at('dex.log'),
    isReady: answers(`${issuer}/keys`),
  });
  const restart = async ({ people, storage = 'first', absoluteLifetime = '' }: DexConfig): Promise<void> => {
    const config = {
      issuer,
      storage: { type: 'etcd', config: { endpoints: [etcdUrl], namespace: `${storage}/` } },
      web: { http: `127.0.0.1:${port}` },
      // Over at each start.
      signer: { type: 'local', config: { keysRotationPeriod: '1ms' } },
      expiry: { refreshTokens: { absoluteLifetime } },
      oauth2: { skipApprovalScreen: true },
      enablePasswordDB: true,
      staticClients: [
        { id: CLIENT_ID, name: 'Pegboard', secret: CLIENT_SECRET, redirectURIs: [redirectUri] },
        { id: 'target', name: 'Target', secret: CLIENT_SECRET, trustedPeers: [CLIENT_ID] },
      ],
      staticPasswords: Object.entries(people).map(([username, groups]) => ({
        username,
        groups,
        email: `${username}@example.com`,
        emailVerified: true,
        userID: username,
        hash: HASH,
      })),
    };
    await dex.kill();
    directory.replace('dex.json', JSON.stringify(config));
    await dex.start();
  };
  defer(async () => {
    await dex.kill();
    await etcd.kill();
  });
  await etcd.start();
  await restart(first);
  return { restart };
}
