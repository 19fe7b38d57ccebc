import { ConfigControl } from 'pegboard';
import type { Issue, KernelEvent, ReloadReport, ResourceKind, Scope } from 'pegboard';
import type {} from '../../contracts/runs.ts';
import { noticeOf } from '../../kit/notices/noticeOf.ts';
import type { KubeObject } from '../api/kubeObject.ts';
import type { StoreKubernetesConfig } from '../config.ts';
import type { Cluster } from '../store/cluster.ts';
import { GROUP, VERSION } from '../store/customResource.ts';
import type { Definitions } from '../store/definitions.ts';
import { KubeEventWriter } from './kubeEventWriter.ts';

/** Each step of each run: too many for an API server. core_events has them. */
const LEFT_OUT = /^workflow\.step/;

/** Writes what happens to servers and workflows as Events of their objects, and refused definitions as warnings.
 *  @param mayWrite whether this process is the one that writes @param leaseObject what Events about no object of ours are about @returns how many wait, and what tells that a kind is gone */
export function provideEvents(
  scope: Scope<StoreKubernetesConfig>,
  cluster: Cluster,
  definitions: Definitions,
  mayWrite: () => boolean,
  leaseObject: () => KubeObject,
): { readonly pending: () => number; readonly gone: (kind: ResourceKind) => void } {
  const writer = new KubeEventWriter(cluster, scope.log, mayWrite);
  /** The last warning about each definition, with its generation. */
  let saidOf = new Map<string, string>();
  const kinds = (): readonly ResourceKind[] => scope.get(ConfigControl).kinds();
  // Objects in lists have neither.
  const whole = (kind: string, object: KubeObject): KubeObject => ({
    ...object,
    apiVersion: `${GROUP}/${VERSION}`,
    kind,
  });
  const objectOf = (kindName: string, name: string): KubeObject | undefined => {
    const kind = kinds().find((one) => one.name === kindName);
    const placed = kind && definitions.find(kind, name);
    // What happens under the name may still be about the object of another namespace.
    if (placed === undefined || definitions.refusalOf({ kind: kindName, name }, placed.namespace))
      return undefined;
    return whole(kindName, placed.object);
  };
  const warned = ({ issues }: ReloadReport): void => {
    const next = new Map<string, string>();
    const say = (key: string, object: KubeObject, reason: string, message: string): void => {
      const said = `${object.metadata.uid ?? ''} ${object.metadata.generation ?? 0} ${message}`;
      next.set(key, said);
      if (saidOf.get(key) !== said) writer.add(object, { type: 'Warning', reason, message });
    };
    for (const kind of kinds())
      for (const { namespace, object } of definitions.objects(kind)) {
        const { name } = object.metadata;
        const refusal = definitions.refusalOf({ kind: kind.name, name }, namespace);
        if (refusal !== undefined)
          say(`${kind.name}/${namespace}/${name}`, whole(kind.name, object), refusal.reason, refusal.message);
      }
    for (const issue of issues) {
      const { definition, severity, code } = issue;
      if (definition === undefined) continue;
      const key = `${definition.kind}/${definition.name}`;
      const isRefused = severity === 'error';
      const unknown = definitions.warningsOf(definition);
      // Its first issue speaks for all: one Event for each generation.
      if (next.has(key) || !(isRefused || unknown.includes(issue))) continue;
      const object = objectOf(definition.kind, definition.name);
      if (object === undefined) continue;
      const message = (isRefused ? [issue] : unknown).map(messageOf).join('; ');
      say(key, object, isRefused ? code : 'UnknownFields', message);
    }
    saidOf = next;
  };
  scope.tap('onEvent', (event) => {
    if (!mayWrite()) {
      writer.clear();
      return;
    }
    if (event.type === 'config.applied' || event.type === 'config.rejected') warned(event.report);
    if (LEFT_OUT.test(event.type)) return;
    const notice = noticeOf(event);
    // What only one caller may see is not for all who may list Events.
    if (notice === undefined || notice.owner !== undefined) return;
    const { kind, name, reason, severity } = notice;
    const message = (scope.config.content ? undefined : endOfRun(event)) ?? notice.message;
    const object = objectOf(kind, name);
    if (object !== undefined) writer.add(object, { type: severity, reason, message });
  });
  scope.onStop(() => writer.stop());
  return {
    pending: () => writer.pending,
    gone: ({ directory }) => {
      if (!mayWrite()) return;
      // No object of the kind is left to have an Event.
      const message = `the custom resource definition ${directory}.${GROUP} is gone, and with it all its objects; install it, then the objects: pegboard crds | kubectl apply -f -`;
      writer.add(leaseObject(), { type: 'Warning', reason: 'DefinitionGone', message });
    },
  };
}

/** How a run ended, without the text of its error, which may quote what was sent and answered. */
function endOfRun(event: KernelEvent): string | undefined {
  if (event.type !== 'workflow.executionFailed' && event.type !== 'workflow.executionCancelled')
    return undefined;
  const how = event.type === 'workflow.executionFailed' ? 'failed' : 'was cancelled';
  return `Workflow ${event.workflow} ${how} (execution: ${event.execution_id ?? ''})`;
}

function messageOf({ message, file }: Issue): string {
  return file === undefined ? message : `${file}: ${message}`;
}
