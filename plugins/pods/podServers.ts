import { setTimeout as pause } from 'node:timers/promises';
import { GatewayError, messageOf } from 'pegboard';
import type { ClusterObject, ClusterObjects } from '../contracts/cluster.ts';
import type { PodServers } from '../contracts/servers.ts';
import { SERVER_LABEL, labelOf, objectName } from './podNames.ts';
import { CONTAINER, DEPLOYMENTS, PODS } from './podObjects.ts';
import { addressOf, isReady, whyNotReady } from './whyNotReady.ts';

const LOOK_MS = 1_000;
const LOG_PAUSE_MS = 5_000;

export interface PodServersParts {
  readonly cluster: () => ClusterObjects;
  readonly port: () => number;
  /** The key of a server's bridge; undefined if no definition in force runs in a pod. */
  readonly keyOf: (server: string) => Buffer | undefined;
  /** Aborted when the plugin stops. */
  readonly signal: AbortSignal;
}

/** The way to the pods of servers, in every replica. */
export function podServers({ cluster, port, keyOf, signal }: PodServersParts): PodServers {
  const podsOf = async (server: string): Promise<readonly ClusterObject[]> => {
    const pods = await cluster().list(PODS, `${SERVER_LABEL}=${labelOf(server)}`);
    return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).toSorted(newestFirst);
  };
  const why = async (server: string, pods: readonly ClusterObject[]): Promise<string> => {
    const deployments = await cluster().list(DEPLOYMENTS, `${SERVER_LABEL}=${labelOf(server)}`);
    return whyNotReady(
      pods,
      deployments.find(({ metadata }) => metadata.name === objectName(server)),
    );
  };
  return {
    reach: async (server, withinMs) => {
      const key = keyOf(server);
      if (key === undefined)
        throw new GatewayError('UPSTREAM_UNREACHABLE', 'its object is not in the namespace of the gateway');
      const until = performance.now() + withinMs;
      for (;;) {
        const pods = await asked(() => podsOf(server));
        const address = pods
          .filter(isReady)
          .map(addressOf)
          .find((one) => one !== undefined);
        if (address !== undefined) {
          const host = address.includes(':') ? `[${address}]` : address;
          return { url: `https://${host}:${port()}/mcp`, key };
        }
        if (signal.aborted || performance.now() + LOOK_MS > until) {
          const reason = await asked(() => why(server, pods));
          throw new GatewayError('UPSTREAM_UNREACHABLE', `no pod of the server is ready: ${reason}`);
        }
        await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
      }
    },
    follow: (server, hear) => {
      const end = new AbortController();
      const stop = (): void => end.abort();
      signal.addEventListener('abort', stop, { once: true });
      if (!signal.aborted) void readLogs({ server, podsOf, cluster, hear }, end.signal);
      return () => {
        signal.removeEventListener('abort', stop);
        stop();
      };
    },
  };
}

interface LogParts extends Pick<PodServersParts, 'cluster'> {
  readonly server: string;
  readonly podsOf: (server: string) => Promise<readonly ClusterObject[]>;
  readonly hear: (chunk: Buffer) => void;
}

/** Never rejects: a log that cannot be read now is tried again. */
async function readLogs({ server, podsOf, cluster, hear }: LogParts, signal: AbortSignal): Promise<void> {
  let last: { readonly uid: string | undefined; readonly at: string } | undefined;
  let said: string | undefined;
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    const begun = new Date().toISOString();
    try {
      const pod = (await podsOf(server))[0];
      if (pod !== undefined) {
        const { name, uid } = pod.metadata;
        const since = last?.uid === uid ? last?.at : undefined;
        await cluster().log({ pod: name, container: CONTAINER, since }, hear, signal);
        last = { uid, at: new Date().toISOString() };
      }
    } catch (error) {
      const reason = messageOf(error);
      // Before its image is there, a container has no log.
      if (!isOver() && reason !== said && !/waiting to start|PodInitializing/.test(reason))
        hear(Buffer.from(`pegboard: the log of the pod cannot be read since ${begun}: ${reason}\n`));
      said = reason;
    }
    await pause(LOG_PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const text = `its pod cannot be looked for: ${messageOf(error)}`;
    throw new GatewayError('UPSTREAM_UNREACHABLE', text, { cause: error });
  }
}

function newestFirst(one: ClusterObject, other: ClusterObject): number {
  return (other.metadata.creationTimestamp ?? '') < (one.metadata.creationTimestamp ?? '') ? -1 : 1;
}
