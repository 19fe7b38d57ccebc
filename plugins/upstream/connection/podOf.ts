import type { PodPlace } from '../../contracts/servers.ts';
import { helpedBy } from '../../kit/faults/remedy.ts';
import type { ServerDefinition } from '../definition.ts';
import type { UpstreamContext } from './context.ts';

/** Where the pod of a server answers, once it does.
 *  @throws GatewayError as PodServers.reach(); UPSTREAM_UNREACHABLE if no plugin runs pods */
export function podOf(
  { pods }: Pick<UpstreamContext, 'pods'>,
  server: string,
  { timeoutMs }: Pick<ServerDefinition, 'timeoutMs'>,
): Promise<PodPlace> {
  const by = pods();
  if (by !== undefined) return by.reach(server, timeoutMs);
  const what = 'set orchestrator: true and write plugins.pods, or remove runsIn';
  const text = 'the server is to run in a pod of its own, and no plugin that makes pods runs';
  return Promise.reject(helpedBy({ do: 'say', what }, 'UPSTREAM_UNREACHABLE', text));
}

/** Texts of env, which the log of the pod may repeat. Those of Secrets are read by the pod alone. */
export function textsInPod({
  isInPod,
  env,
}: Pick<ServerDefinition, 'isInPod' | 'env'>): readonly (readonly [string, string])[] {
  return isInPod ? Object.entries(env).filter(([, text]) => !/^\$\{secret:[^{}]+\}$/.test(text)) : [];
}
