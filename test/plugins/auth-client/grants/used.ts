import type { InboundRequest } from '../../../../kernel/index.ts';
import { requestOf } from './grantBench.ts';
import type { GrantProcess } from './grantBench.ts';

/** The Authorization header that a call to `notes` would be sent with. @throws what prepare() throws */
export async function used(
  process: GrantProcess,
  request: InboundRequest = requestOf(),
): Promise<string | undefined> {
  const credential = process.credential(request);
  await credential.prepare();
  return credential.headers['authorization'];
}
