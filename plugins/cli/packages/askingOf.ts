import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { fetchTrust } from '../../kit/tls/fetchTrust.ts';
import type { Asking } from '../../kit/packages/registryRequest.ts';

/** More than a registry needs to answer. */
const MAX_WAIT_MS = 30_000;

/** How this verb asks registries. */
export function askingOf(invocation: Invocation): Asking {
  const { env, directory } = invocation;
  const { timeout, extraCaFile } = optionsOf(invocation);
  return {
    env,
    timeoutMs: Math.min(Number(timeout) * 1_000, MAX_WAIT_MS),
    trust: fetchTrust({ extraCaFile: () => extraCaFile, directory: () => directory }),
  };
}
