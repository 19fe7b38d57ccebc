/** What callers cost who have their own connections to servers, beside a server that all share. */
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ChildProcess } from 'node:child_process';
import { waitUntilCallable } from './call.ts';
import { createClient, initialize } from './client.ts';
import type { HeapReading } from './heapProbe.ts';
import { readHeap } from './growth.ts';
import { runLoad } from './load.ts';
import type { LoadResult } from './load.ts';
import { median } from './median.ts';
import { GATEWAY_CORE, cleanEnv, launch, stopChild, urlOf } from './processes.ts';
import { modulePath, pegboardCommand, writeServer } from './targets.ts';
import type { HttpUpstream } from './targets.ts';

/** The servers at which each caller has a grant. */
export const SERVERS = ['own1', 'own2', 'own3', 'own4', 'own5'];
/** They compile code and fill caches. */
const WARM_UP_CALLERS = 100;
const PARALLEL = 16;
const LOAD_CONNECTIONS = 32;
const ROUNDS = 3;

export interface CallersResult {
  /** Grown by the callers. */
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** Number of the gateway's open sockets, with those of clients. */
  readonly sockets: number;
  readonly connectedMs: number;
  /** Time of each caller for `initialize`, for which the servers are connected, and a call of the last server. */
  readonly firstMs: readonly number[];
  readonly shared: LoadResult;
  readonly own: LoadResult;
}
interface Caller {
  readonly session: string | undefined;
  readonly token: string;
}

/** Connects so many callers to five servers each, with grants as if they had signed in before the gateway started. */
export async function measureCallers(
  callers: number,
  { upstream, directory }: { readonly upstream: HttpUpstream; readonly directory: string },
): Promise<CallersResult> {
  writeCallers(directory, upstream.url, WARM_UP_CALLERS + callers);
  const probe = pathToFileURL(modulePath('heapProbe.js')).href;
  const command = pegboardCommand(directory, upstream, ['--expose-gc', '--import', probe]);
  const child = launch(command, { core: GATEWAY_CORE, env: cleanEnv(), hasChannel: true });
  try {
    const url = await urlOf(child, 'pegboard');
    await connectAll(url, 0, WARM_UP_CALLERS);
    const before = await settled(child);
    const begin = performance.now();
    const connected = await connectAll(url, WARM_UP_CALLERS, callers);
    const connectedMs = performance.now() - begin;
    const sockets = socketsOf(child);
    const after = await settled(child);
    const people = connected.map(({ caller }) => caller);
    const load = (server: string): Promise<LoadResult> =>
      runLoad({
        url,
        directory,
        server,
        callers: people,
        kind: 'echo',
        seconds: 2,
        connections: LOAD_CONNECTIONS,
      });
    const results: { shared: LoadResult; own: LoadResult }[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      results.push({ shared: await load('up'), own: await load('own1') });
    return {
      heapBytes: after.heapBytes - before.heapBytes,
      rssBytes: after.rssBytes - before.rssBytes,
      sockets,
      connectedMs,
      firstMs: connected.map(({ ms }) => ms),
      shared: medianOf(results.map(({ shared }) => shared)),
      own: medianOf(results.map(({ own }) => own)),
    };
  } finally {
    await stopChild(child);
  }
}

async function connectAll(
  url: string,
  first: number,
  count: number,
): Promise<readonly { readonly caller: Caller; readonly ms: number }[]> {
  const connected: { caller: Caller; ms: number }[] = [];
  let next = first;
  const worker = async (): Promise<void> => {
    while (next < first + count) {
      const token = `caller-${next++}`;
      const client = createClient(url);
      client.token = token;
      const begin = performance.now();
      await initialize(client);
      await waitUntilCallable(client, 'echo', SERVERS.at(-1));
      connected.push({ caller: { session: client.session, token }, ms: performance.now() - begin });
      client.close();
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return connected;
}

/** The heap after garbage has been collected twice: finalizers run in between. */
async function settled(child: ChildProcess): Promise<HeapReading> {
  await readHeap(child);
  return readHeap(child);
}

function socketsOf({ pid }: ChildProcess): number {
  const place = `/proc/${pid ?? 0}/fd`;
  const targets = readdirSync(place).map((name) => {
    try {
      return readlinkSync(join(place, name));
    } catch {
      return 'closed meanwhile';
    }
  });
  return targets.filter((target) => target.startsWith('socket:')).length;
}

function medianOf(results: readonly LoadResult[]): LoadResult {
  const of = (key: keyof LoadResult): number => median(results.map((result) => result[key]));
  return {
    calls: of('calls'),
    seconds: of('seconds'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    bytesPerCall: of('bytesPerCall'),
    failures: of('failures'),
  };
}

/** Callers are known by their bearer token, and have a grant that never ends at each server. */
export function writeCallers(directory: string, url: string, callers: number): void {
  for (const name of SERVERS)
    writeServer(directory, name, ['type: streamable-http', `url: ${url}`, 'auth: { type: oauth }']);
  const config = {
    aggregator: { oauth: { mcpClient: { enabled: true } } },
    plugins: {
      'vault-file': false,
      'vault-memory': { config: { maxEntries: 1e6 } },
      'bench-callers': { module: './callers.mjs' },
    },
  };
  writeFileSync(join(directory, 'config.yaml'), JSON.stringify(config));
  writeFileSync(join(directory, 'callers.mjs'), callersPlugin(url, callers));
}

function callersPlugin(url: string, callers: number): string {
  return `
import { hash } from 'node:crypto';
import { STAGE } from 'pegboard';
import { Vault } from 'pegboard/contracts';
import { callerKey } from 'pegboard/kit';
const ISSUER = 'https://people.example';
export const plugin = {
  name: 'bench-callers',
  api: 1,
  configSchema: { type: 'object' },
  requires: [Vault],
  apply: (scope) => {
    scope.tap('onRequest', (request) => {
      const subject = request.header('authorization')?.slice('Bearer '.length);
      if (subject !== undefined) request.caller = { issuer: ISSUER, subject };
      return undefined;
    }, STAGE.identify);
    scope.onStart(async () => {
      const vault = scope.get(Vault);
      const now = Date.now();
      for (let at = 0; at < ${callers}; at += 1) {
        const person = callerKey({ issuer: ISSUER, subject: 'caller-' + at });
        const owner = 'person.' + hash('sha256', person, 'base64url');
        for (const server of ${JSON.stringify(SERVERS)}) {
          const grant = {
            url: '${url}', issuer: ISSUER, tokenEndpoint: ISSUER + '/token',
            client: { id: 'bench', authMethod: 'none', isRegistered: false },
            accessToken: server + '-token-of-' + at, grantedAt: now, issuedAt: now,
          };
          await vault.set('server-grant:' + owner + ':' + server, { owner, server, person, grant });
        }
      }
    });
  },
};
`;
}
