import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { selfSigned } from '../certificate.ts';
import { defer } from '../cleanup.ts';
import { makeDirectory } from '../directory.ts';
import { freePort } from '../everything.ts';
import { KUBE, folderOf } from './binaries.ts';
import { kubeconfigOf, signedBy } from './credentials.ts';
import { doorTo } from './door.ts';
import { kubeClient } from './kubeClient.ts';
import type { Credentials, KubeClient } from './kubeClient.ts';
import { startKubeIssuer, trustIn } from './kubeIssuer.ts';
import type { Issuer, KubeIssuer } from './kubeIssuer.ts';
import { makeNamespace } from './kubeNamespace.ts';
import type { KubeNamespace } from './kubeNamespace.ts';
import { apiArguments, etcdArguments } from './serverArguments.ts';
import { serverProcess } from './serverProcess.ts';

/** Part of a line of the audit log. Source: https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/ */
export interface AuditLine {
  readonly verb: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource: string;
    readonly apiGroup?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code: number };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A real etcd and kube-apiserver. Present connections of clients end with each verb but `freeze` and `thaw`. */
export interface ControlPlane {
  /** `https://127.0.0.1:<port>`, the same one after a restart. This process passes the bytes on: a kubectl that is run by
   *  `execFileSync` waits for itself. */
  readonly url: string;
  /** PEM of its certificate. */
  readonly ca: string;
  /** What a pod is given to find it. */
  readonly env: Readonly<Record<'KUBERNETES_SERVICE_HOST' | 'KUBERNETES_SERVICE_PORT', string>>;
  /** Signs tokens of people. */
  readonly issuer: KubeIssuer;
  /** Lets the API server accept its id_tokens too, until the end of the test; it takes the change up within a minute. */
  readonly trust: (issuer: Issuer) => void;
  /** A member of `system:masters`. */
  readonly admin: KubeClient;
  /** A certificate of that user. */
  readonly certificateOf: (name: string, ...groups: readonly string[]) => Credentials;
  /** Calls as that user. */
  readonly as: (who: Credentials) => KubeClient;
  /** Path of a kubeconfig with one context. @param namespace Default: `default` */
  readonly kubeconfig: (who: Credentials, namespace?: string) => string;
  /** A new one: each test file has its own. */
  readonly makeNamespace: () => Promise<KubeNamespace>;
  readonly auditLog: string;
  /** Writes so far, the oldest first. */
  readonly audit: () => readonly AuditLine[];
  /** Writes and reads so far, of what Pegboard uses. */
  readonly requests: () => readonly AuditLine[];
  /** Process ids. */
  readonly pids: () => { readonly etcd: number; readonly apiserver: number };
  /** Kills the API server: connections are refused until `start`, at the latest at the end of the test. */
  readonly stop: () => Promise<void>;
  /** Resolves once the API server is ready. */
  readonly start: () => Promise<void>;
  /** A watch from a version before it is answered 410. */
  readonly restart: () => Promise<void>;
  /** The API server accepts connections and says nothing until `thaw`, at the latest at the end of the test. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Ends all connections, and with them all watches; they can be resumed. @returns how many there were */
  readonly dropConnections: () => number;
  /** Restarts over an etcd that has forgotten all former versions: watches and lists of them are answered 410. */
  readonly expireHistory: () => Promise<void>;
}

const PROBE_MS = 2_000;
const WRITES = ['create', 'update', 'patch', 'delete'];

let shared: Promise<ControlPlane> | undefined;

/** The one of this run; call it in a `before`, after `needKube`. */
export function controlPlane(): Promise<ControlPlane> {
  if (shared !== undefined) return shared;
  defer(() => (shared = undefined));
  return (shared = startControlPlane());
}

async function startControlPlane(): Promise<ControlPlane> {
  const directory = makeDirectory();
  const issuer = await startKubeIssuer();
  const files = selfSigned('127.0.0.1');
  const ca = readFileSync(files.certificate, 'utf8');
  const [port, apiPort, etcdPort, peerPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const probe = new Agent({ connect: { ca } });
  const etcd = serverProcess([join(folderOf(KUBE), 'etcd'), ...etcdArguments(directory, etcdUrl, peerPort)], {
    log: directory.at('etcd.log'),
    isReady: () => isOk(`${etcdUrl}/health`, probe),
  });
  const api = serverProcess(
    [
      join(folderOf(KUBE), 'kube-apiserver'),
      ...apiArguments(directory, { ...files, issuer, port: apiPort, etcdUrl }),
    ],
    {
      log: directory.at('kube-apiserver.log'),
      isReady: () => isOk(`https://127.0.0.1:${apiPort}/readyz`, probe),
    },
  );
  const door = doorTo(apiPort, port);
  const stop = async (): Promise<void> => {
    await door.close();
    await api.kill();
  };
  const start = async (): Promise<void> => {
    await door.open();
    await api.start();
  };
  defer(async () => {
    await stop();
    await etcd.kill();
    await probe.destroy();
  });
  await etcd.start();
  await start();

  const url = `https://127.0.0.1:${port}`;
  const certificateOf = (name: string, ...groups: readonly string[]): Credentials =>
    signedBy(files, name, groups);
  const as = (who: Credentials): KubeClient => kubeClient(url, ca, who);
  const admin = as(certificateOf('admin', 'system:masters'));
  const auditLog = directory.at('audit.log');
  const requests = (): readonly AuditLine[] =>
    readFileSync(auditLog, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditLine);
  const thaw = (): void => api.signal('SIGCONT');
  return {
    url,
    ca,
    env: { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port) },
    issuer,
    trust: (other) => {
      const accept = (...issuers: readonly Issuer[]): void =>
        directory.replace('authentication.json', JSON.stringify(trustIn(issuers)));
      accept(issuer, other);
      defer(() => accept(issuer));
    },
    admin,
    certificateOf,
    as,
    kubeconfig: (who, namespace = 'default') =>
      makeDirectory({ config: JSON.stringify(kubeconfigOf({ url, ca, who, namespace })) }).at('config'),
    makeNamespace: () => makeNamespace(admin, ca),
    auditLog,
    audit: () => requests().filter(({ verb }) => WRITES.includes(verb)),
    requests,
    pids: () => ({ etcd: etcd.pid(), apiserver: api.pid() }),
    stop: () => {
      defer(start);
      return stop();
    },
    start,
    restart: async () => {
      await stop();
      await start();
    },
    freeze: () => {
      defer(thaw);
      api.signal('SIGSTOP');
    },
    thaw,
    dropConnections: () => door.drop(),
    expireHistory: async () => {
      await stop();
      await compact(etcdUrl);
      await start();
    },
  };
}

/** Whether it answers 200. */
async function isOk(url: string, agent: Agent): Promise<boolean> {
  try {
    const { statusCode, body } = await request(url, { dispatcher: agent, headersTimeout: PROBE_MS });
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}

/** Forgets all versions before the present one. Source: https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/ */
async function compact(etcdUrl: string): Promise<void> {
  const post = async (path: string, body: object): Promise<object> => {
    const answer = await fetch(`${etcdUrl}/v3/${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd ${path}: ${await answer.text()}`);
    return (await answer.json()) as object;
  };
  const { header } = (await post('maintenance/status', {})) as {
    readonly header: { readonly revision: string };
  };
  await post('kv/compaction', { revision: header.revision, physical: true });
}
