import type { CallerCredential } from '../../contracts/credentials.ts';
import { within } from '../client/rpc/ticker.ts';
import { lateError } from './away.ts';

/** Undefined if the credential is current. Else resolves when it is. @throws GatewayError as `prepare`; UPSTREAM_TIMEOUT */
export function prepared(
  credential: Pick<CallerCredential, 'prepare'>,
  timeoutMs: number,
): Promise<void> | undefined {
  const preparing = credential.prepare();
  if (preparing === undefined) return undefined;
  const what = 'reading or refreshing the credential of the caller';
  return within(timeoutMs, preparing, () => lateError(what, timeoutMs));
}
