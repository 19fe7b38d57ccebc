import { ConfigControl } from 'pegboard';
import type { Issue, JsonObject, ResourceKind, Scope } from 'pegboard';
import type { ManagedService } from '../../contracts/services.ts';
import { allServices } from '../../kit/definitions/allServices.ts';
import type { KubeObject } from '../api/kubeObject.ts';
import type { StoreKubernetesConfig } from '../config.ts';
import type { Cluster } from '../store/cluster.ts';
import { kubePlaceOf, specOf } from '../store/customResource.ts';
import type { Definitions } from '../store/definitions.ts';
import type { PlacedObject } from '../store/refusal.ts';
import { timedConditions } from './timedConditions.ts';
import type { ObjectCondition, Judgement } from './timedConditions.ts';
import { Lease } from './lease.ts';
import { NO_VIEWS, ReplicaViews } from './replicaViews.ts';
import { acceptance, serverJudgements, serverStatusOf, viewOf } from './serverObjectStatus.ts';
import type { DefinitionFacts, ServerObjectFacts } from './serverObjectStatus.ts';
import { StatusWriter } from './statusWriter.ts';
import { validationErrorsOf, workflowStatusOf } from './workflowObjectStatus.ts';

const SERVER = 'MCPServer';
const WORKFLOW = 'Workflow';
/** A server may list thousands, and each change of an object goes to all who watch it. */
const MAX_TOOL_NAMES = 64;

/** Writing of status and Events in this process. */
export interface StatusWriting {
  readonly mayWrite: () => boolean;
  readonly pending: () => number;
}

/** Keeps the status of all definitions current, in one of the processes.
 *  @returns whether this process is the one that writes, and what waits to be written */
export function provideStatus(
  scope: Scope<StoreKubernetesConfig>,
  cluster: Cluster,
  definitions: Definitions,
): StatusWriting {
  const control = (): ConfigControl => scope.get(ConfigControl);
  const kinds = (): readonly ResourceKind[] => control().kinds();
  const namespace = (): string => control().settings().namespace;
  const keyOf = ({ name: kind }: ResourceKind, { namespace, object }: PlacedObject): string =>
    `${kind}/${namespace}/${object.metadata.name}`;
  const allKeys = (): readonly string[] =>
    kinds().flatMap((kind) => definitions.objects(kind).map((placed) => keyOf(kind, placed)));
  const placedOf = (key: string): (PlacedObject & { readonly kind: ResourceKind }) | undefined => {
    const [kindName = '', namespace = '', name = ''] = key.split('/');
    const kind = kinds().find((one) => one.name === kindName);
    const placed = kind && definitions.find(kind, name, namespace);
    return kind && placed && { ...placed, kind };
  };
  const lease = new Lease({
    cluster,
    namespace,
    name: () => scope.config.lease,
    seconds: () => scope.config.leaseSeconds,
    log: scope.log,
    taken: () => {
      writer.touch(allKeys());
      views.taken();
    },
  });
  /** All services by name, of this turn of the event loop: all servers may be due in one. */
  let services: ReadonlyMap<string, ManagedService> | undefined;
  const serviceOf = (name: string): ManagedService | undefined => {
    if (services === undefined) {
      services = new Map(allServices(scope).map((service) => [service.name, service]));
      setImmediate(() => (services = undefined));
    }
    return services.get(name);
  };
  const errorsOf = (kind: string, name: string): readonly Issue[] =>
    (control().lastReport()?.issues ?? []).filter(
      ({ severity, definition }) =>
        severity === 'error' && definition?.kind === kind && definition.name === name,
    );
  /** The generation of each definition in force. */
  let inForce: ReadonlyMap<string, number | undefined> = new Map();
  const judge = (): void => {
    const issues = control().lastReport()?.issues ?? [];
    const refused = new Set(
      issues.flatMap(({ severity, definition }) =>
        severity === 'error' && definition !== undefined ? [`${definition.kind}/${definition.name}`] : [],
      ),
    );
    const found = kinds().flatMap(({ name: kind }) =>
      control()
        .resources(kind)
        .map(({ name }): readonly [string, number | undefined] => {
          const key = `${kind}/${name}`;
          return [key, refused.has(key) ? inForce.get(key) : definitions.generationOf({ kind, name })];
        }),
    );
    inForce = new Map(found);
  };
  const judgedOf = (key: string): DefinitionFacts => {
    const [kind = '', namespace = '', name = ''] = key.split('/');
    const refusal = definitions.refusalOf({ kind, name }, namespace);
    // All other facts about the name are about the object that has it.
    const errors = refusal === undefined ? errorsOf(kind, name) : [];
    const warnings = refusal === undefined ? definitions.warningsOf({ kind, name }) : [];
    return { refusal, errors, warnings, lastGood: inForce.get(`${kind}/${name}`) };
  };
  const factsOf = (judged: DefinitionFacts, object: KubeObject): ServerObjectFacts => {
    const service = judged.refusal === undefined ? serviceOf(object.metadata.name) : undefined;
    return { ...judged, type: String(specOf(object)['type']), record: service?.status() };
  };
  const statusOf = (key: string, object: KubeObject): JsonObject => {
    const [kind = '', , name = ''] = key.split('/');
    const before = (object.status ?? {}) as JsonObject;
    const judged = judgedOf(key);
    const { refusal, errors } = judged;
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    const generation =
      refusal === undefined ? definitions.generationOf({ kind, name }) : object.metadata.generation;
    const timed = (judgements: readonly Judgement[]): readonly ObjectCondition[] =>
      timedConditions(judgements, {
        before: (before['conditions'] ?? []) as ObjectCondition[],
        generation,
        now,
      });
    const common = { observedGeneration: generation ?? null };
    if (kind !== SERVER) {
      const accepted = acceptance(judged);
      const faults = refusal === undefined ? errors : [refusal];
      return {
        ...common,
        ...(kind === WORKFLOW
          ? workflowStatusOf(specOf(object), faults)
          : { validationErrors: validationErrorsOf(faults) }),
        conditions: timed([{ ...accepted, type: 'Ready' }, accepted]),
      };
    }
    const facts = factsOf(judged, object);
    const service = refusal === undefined ? serviceOf(name) : undefined;
    const toolNames = [...(service?.toolNames?.() ?? [])].sort().slice(0, MAX_TOOL_NAMES);
    const status = Object.entries(serverStatusOf(facts, before)).map(
      ([field, value]) => [field, value ?? null] as const,
    );
    return {
      ...common,
      ...Object.fromEntries<unknown>(status),
      toolNames: toolNames.length > 0 ? toolNames : null,
      ...(refusal === undefined ? views.fieldsOf(name) : NO_VIEWS),
      conditions: timed(serverJudgements(facts)),
    };
  };
  const writer = new StatusWriter({
    cluster,
    log: scope.log,
    mayWrite: () => lease.isHeld,
    find: (key) => {
      const placed = placedOf(key);
      if (placed === undefined) return undefined;
      const { kind, namespace: where, object } = placed;
      return { place: kubePlaceOf(kind, where, object.metadata.name), object };
    },
    statusOf,
  });
  const keyOfServer = (name: string): readonly string[] => {
    const kind = kinds().find((one) => one.name === SERVER);
    const placed = kind && definitions.find(kind, name);
    return kind !== undefined && placed !== undefined ? [keyOf(kind, placed)] : [];
  };
  const views = new ReplicaViews(scope, {
    name: cluster.holder,
    mayWrite: () => lease.isHeld,
    viewOf: (server) => {
      const [key = ''] = keyOfServer(server);
      const placed = placedOf(key);
      return placed && viewOf(factsOf(judgedOf(key), placed.object));
    },
    changed: (servers) => writer.touch(servers?.flatMap(keyOfServer) ?? allKeys()),
  });
  scope.tap('onEvent', (event) => {
    // With the first definitions the API server has been reached.
    if (event.type === 'config.applied') lease.start();
    if (event.type === 'config.applied' || event.type === 'config.rejected') {
      judge();
      writer.touch(allKeys());
      const servers = kinds().filter(({ name }) => name === SERVER);
      views.noteAll(
        servers.flatMap((kind) => definitions.objects(kind).map(({ object }) => object.metadata.name)),
      );
    } else if ('server' in event && typeof event.server === 'string') {
      writer.touch(keyOfServer(event.server));
      views.note([event.server]);
    }
  });
  scope.onStop(async () => {
    views.stop();
    await writer.stop();
    await lease.stop();
  });
  return { mayWrite: () => lease.isHeld, pending: () => writer.pending };
}
