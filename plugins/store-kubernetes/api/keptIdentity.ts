import { isDeepStrictEqual } from 'node:util';
import type { KubeCredentials, KubeIdentity } from './kubeCredentials.ts';

/** Kubelet rotates tokens that are still valid for minutes. */
const KEPT_MS = 60_000;

/** Reads the identity again when it is older than a minute, or was refused. */
export function keptIdentity(
  read: (wasRefused: boolean) => Promise<KubeIdentity>,
  now: () => number = () => performance.now(),
): Pick<KubeCredentials, 'current' | 'refused'> {
  let kept: { readonly identity: KubeIdentity; readonly until: number } | undefined;
  let isRefused = false;
  const renew = async (): Promise<KubeIdentity> => {
    const wasRefused = isRefused;
    isRefused = false;
    const fresh = await read(wasRefused);
    const tls = kept && isDeepStrictEqual(kept.identity.tls, fresh.tls) ? kept.identity.tls : fresh.tls;
    kept = { identity: { ...fresh, tls }, until: now() + KEPT_MS };
    return kept.identity;
  };
  let reading: Promise<KubeIdentity> | undefined;
  return {
    current: async () => {
      if (kept !== undefined && !isRefused && now() < kept.until) return kept.identity;
      return (reading ??= renew().finally(() => (reading = undefined)));
    },
    refused: () => {
      isRefused = true;
    },
  };
}
