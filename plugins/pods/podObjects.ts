import { createHash, createHmac } from 'node:crypto';
import type { JsonObject } from 'pegboard';
import type { ClusterKind, ClusterObject } from '../contracts/cluster.ts';
import type { Grants } from '../contracts/servers.ts';
import { withinLimit } from '../kit/definitions/withinLimit.ts';
import type { PodsConfig } from './config.ts';
import { MANAGED, SERVER_LABEL, labelOf, objectName, secretName } from './podNames.ts';
import { networkOf } from './networkOf.ts';

export const ACCOUNTS: ClusterKind = { group: '', version: 'v1', plural: 'serviceaccounts' };
export const SECRETS: ClusterKind = { group: '', version: 'v1', plural: 'secrets' };
export const PODS: ClusterKind = { group: '', version: 'v1', plural: 'pods' };
export const DEPLOYMENTS: ClusterKind = { group: 'apps', version: 'v1', plural: 'deployments' };
export const POLICIES: ClusterKind = {
  group: 'networking.k8s.io',
  version: 'v1',
  plural: 'networkpolicies',
};

/** Its container, whose log is that of the server. */
export const CONTAINER = 'server';
const REVISION = 'pegboard.dev/revision';
/** As copyRuntime() of pod-bridge lays it out. */
const RUNTIME = '/pegboard';
const KEY_FOLDER = '/pegboard-key';
const HOME = '/home/server';
const RUNTIME_MB = 512;
const GRACE_SECONDS = 20;
/** Besides the shared one. */
const MAX_INSTANCES = 20;
const ONE_SECRET = /^\$\{secret:([^/}]+)\/([^}]+)\}$/;

/** `spec` of an MCPServer with `runsIn: pod`, as checked. */
export interface PodSpec {
  readonly image: string;
  readonly command: string | readonly string[];
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly grants?: {
    readonly network?: Grants['network'];
    readonly memoryMb?: number;
    readonly cpus?: number;
  };
  readonly instances?: string;
  readonly maxInstances?: number;
  readonly suspended: boolean;
  readonly restartRequestedAt?: string;
}
export interface PodFacts {
  readonly server: string;
  readonly spec: PodSpec;
  readonly owner: JsonObject;
  readonly key: Buffer;
  readonly config: PodsConfig;
}
export interface WantedObject {
  readonly kind: ClusterKind;
  readonly object: ClusterObject;
}

/** The objects of a server, in the order in which they are needed. */
export function podObjects(facts: PodFacts): readonly WantedObject[] {
  const { server, key, owner, spec, config } = facts;
  const labels = { ...MANAGED, [SERVER_LABEL]: labelOf(server) };
  const named = (name: string): ClusterObject['metadata'] => ({ name, labels, ownerReferences: [owner] });
  const metadata = named(objectName(server));
  const stringData = secretData(facts);
  const data = Object.fromEntries(
    Object.entries(stringData).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
  );
  const template = podTemplate(facts);
  // What a value is must not be guessed from the hash that everyone may read.
  const digest = createHmac('sha256', key).update(JSON.stringify(stringData)).digest('hex');
  const revision = createHash('sha256')
    .update(JSON.stringify([template, digest, spec.restartRequestedAt ?? '']))
    .digest('hex')
    .slice(0, 16);
  const pods = { matchLabels: { [SERVER_LABEL]: labelOf(server) } };
  return [
    {
      kind: ACCOUNTS,
      object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata, automountServiceAccountToken: false },
    },
    {
      kind: SECRETS,
      object: {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'Opaque',
        metadata: named(secretName(server, key)),
        data,
      },
    },
    {
      kind: POLICIES,
      object: {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata,
        spec: { podSelector: pods, ...networkOf(spec.grants?.network, config) },
      },
    },
    {
      kind: DEPLOYMENTS,
      object: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata,
        spec: {
          replicas: spec.suspended ? 0 : 1,
          // Two at a time would be two servers: one of them has the former definition.
          strategy: { type: 'Recreate' },
          revisionHistoryLimit: 1,
          selector: pods,
          template: { metadata: { labels, annotations: { [REVISION]: revision } }, spec: template },
        },
      },
    },
  ];
}

/** Texts of env, by the names that the container has for them; the key. */
function secretData({ spec: { env }, key }: PodFacts): Readonly<Record<string, string>> {
  const own = Object.entries(env).filter(([, value]) => !ONE_SECRET.test(value));
  return {
    key: key.toString('hex'),
    ...Object.fromEntries(own.map(([name, value]) => [`env.${name}`, value])),
  };
}

function podTemplate({ server, spec, key, config }: PodFacts): JsonObject {
  const { user, port, healthPort, homeMb } = config;
  const security = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  };
  const secret = secretName(server, key);
  const probe = { httpGet: { path: '/health', port: healthPort }, periodSeconds: 5, timeoutSeconds: 3 };
  return {
    serviceAccountName: objectName(server),
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // Something has to end the zombies that a server leaves behind.
    shareProcessNamespace: true,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      fsGroup: user,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(config.imagePullSecrets.length > 0 && {
      imagePullSecrets: config.imagePullSecrets.map((name) => ({ name })),
    }),
    initContainers: [
      {
        name: 'bridge',
        image: config.image,
        command: ['node', '/app/dist/kernel/program/pegboard.js', 'stdio', '--install', RUNTIME],
        // The user is in no list of the image.
        env: [{ name: 'HOME', value: '/tmp' }],
        securityContext: security,
        resources: { limits: { memory: '512Mi', cpu: '1' }, requests: { memory: '64Mi', cpu: '10m' } },
        volumeMounts: [{ name: 'runtime', mountPath: RUNTIME }],
      },
    ],
    containers: [
      {
        name: CONTAINER,
        image: spec.image,
        command: [
          ...[`${RUNTIME}/lib/ld.so`, '--library-path', `${RUNTIME}/lib`, `${RUNTIME}/node`],
          ...[`${RUNTIME}/app/dist/kernel/program/pegboard.js`, 'stdio'],
          // Also the IPv4 of a pod.
          ...['--listen', `[::]:${port}`, '--health', `[::]:${healthPort}`],
          ...['--key-file', `${KEY_FOLDER}/key`, '--sessions', String(sessionsOf(spec)), '--'],
          ...[spec.command, spec.args ?? []].flat().map(unexpanded),
        ],
        ...(spec.cwd !== undefined && { workingDir: spec.cwd }),
        env: environment(spec, secret),
        ports: [
          { name: 'mcp', containerPort: port, protocol: 'TCP' },
          { name: 'health', containerPort: healthPort, protocol: 'TCP' },
        ],
        readinessProbe: { ...probe, failureThreshold: 2 },
        livenessProbe: { tcpSocket: { port: healthPort }, periodSeconds: 10, failureThreshold: 6 },
        securityContext: security,
        resources: resourcesOf(spec, config),
        volumeMounts: [
          { name: 'runtime', mountPath: RUNTIME, readOnly: true },
          { name: 'key', mountPath: KEY_FOLDER, readOnly: true },
          { name: 'home', mountPath: HOME },
          { name: 'tmp', mountPath: '/tmp' },
        ],
      },
    ],
    volumes: [
      { name: 'runtime', emptyDir: { sizeLimit: `${RUNTIME_MB}Mi` } },
      { name: 'home', emptyDir: { sizeLimit: `${homeMb}Mi` } },
      { name: 'tmp', emptyDir: { sizeLimit: `${homeMb}Mi` } },
      {
        name: 'key',
        secret: { secretName: secret, defaultMode: 0o440, items: [{ key: 'key', path: 'key' }] },
      },
    ],
  };
}

/** A replica of the gateway is a session, and each of its instances. */
function sessionsOf({ instances = 'shared', maxInstances = MAX_INSTANCES }: PodSpec): number {
  const replicas = 10;
  return replicas * (1 + (instances === 'shared' ? 0 : maxInstances));
}

/** The kubelet would put a variable in the place of `$(NAME)`, and `$` in that of `$$`. */
function unexpanded(word: string): string {
  return word.replaceAll('$', '$$$$');
}

/** Names that only the server's own program obeys: the bridge takes the prefix away. */
function environment({ env }: PodSpec, secret: string): readonly JsonObject[] {
  const own = Object.entries(env).map(([name, value]) => {
    const [, from = secret, key = `env.${name}`] = ONE_SECRET.exec(value) ?? [];
    return { name: `PEGBOARD_ENV_${name}`, valueFrom: { secretKeyRef: { name: from, key } } };
  });
  return [{ name: 'HOME', value: HOME }, { name: 'TMPDIR', value: '/tmp' }, ...own];
}

function resourcesOf({ grants = {} }: PodSpec, config: PodsConfig): JsonObject {
  const memoryMb = withinLimit(grants.memoryMb, config.memoryMb);
  const cpus = withinLimit(grants.cpus, config.cpus);
  const cpu = Math.round(cpus * 1_000);
  const least = { memory: memoryMb === 0 ? 64 : Math.min(64, memoryMb), cpu: Math.min(10, cpu) };
  return {
    limits: { cpu: milli(cpu), ...(memoryMb > 0 && { memory: `${memoryMb}Mi` }) },
    requests: { cpu: milli(least.cpu), memory: `${least.memory}Mi` },
  };
}

/** An amount of processors in the form that the API server keeps. */
function milli(cpu: number): string {
  return cpu % 1_000 === 0 ? String(cpu / 1_000) : `${cpu}m`;
}
