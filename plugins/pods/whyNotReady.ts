import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { ClusterObject } from '../contracts/cluster.ts';

const MAX_CHARS = 500;

export function isReady({ metadata, status }: ClusterObject): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return conditionsOf(status).some((one) => one['type'] === 'Ready' && one['status'] === 'True');
}

export function addressOf({ status }: ClusterObject): string | undefined {
  const ip = isObject(status) ? status['podIP'] : undefined;
  return typeof ip === 'string' && ip !== '' ? ip : undefined;
}

/** Why a server has no pod that is ready, in the words of the cluster. */
export function whyNotReady(pods: readonly ClusterObject[], deployment: ClusterObject | undefined): string {
  const said = [
    ...pods.flatMap((pod) => [...containerWords(pod), ...scheduleWords(pod)]),
    // A quota, or a policy of the namespace, lets no pod come into being.
    ...conditionsOf(deployment?.['status'])
      .filter((one) => one['type'] === 'ReplicaFailure' && one['status'] === 'True')
      .map(wordsOf),
  ].filter((words) => words !== '');
  const [first] = said;
  if (first !== undefined) return first.slice(0, MAX_CHARS);
  if (deployment === undefined) return 'its Deployment has not been made yet';
  return pods.length === 0 ? 'no pod has been made yet' : 'its pod is starting';
}

function* containerWords({ status }: ClusterObject): Generator<string> {
  const { initContainerStatuses: first, containerStatuses: all } = isObject(status) ? status : {};
  for (const container of [...listOf(first), ...listOf(all)]) {
    const state = isObject(container['state']) ? container['state'] : {};
    const last = isObject(container['lastState']) ? container['lastState'] : {};
    const { waiting, terminated } = state;
    const isWaiting =
      isObject(waiting) && !['PodInitializing', 'ContainerCreating'].includes(String(waiting['reason']));
    if (isWaiting) yield wordsOf(waiting);
    const ended = isObject(terminated) ? terminated : last['terminated'];
    if (isObject(ended) && ended['exitCode'] !== 0)
      yield `container ${String(container['name'])} ended with exit code ${String(ended['exitCode'])}: ${wordsOf(ended)}`;
  }
}

function scheduleWords({ status }: ClusterObject): readonly string[] {
  return conditionsOf(status)
    .filter((one) => one['type'] === 'PodScheduled' && one['status'] === 'False')
    .map(wordsOf);
}

function wordsOf(one: JsonObject): string {
  return [one['reason'], one['message']].filter((part) => typeof part === 'string' && part !== '').join(': ');
}

function conditionsOf(status: unknown): readonly JsonObject[] {
  return isObject(status) ? listOf(status['conditions']) : [];
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
