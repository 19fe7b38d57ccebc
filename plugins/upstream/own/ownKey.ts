import type { InboundRequest } from 'pegboard';
import { callerKey } from '../../kit/authority/ownerOf.ts';
import type { CallerCredential } from '../../contracts/credentials.ts';
import type { InstanceMode } from '../definition.ts';

type Asking = Pick<InboundRequest, 'sessionId' | 'caller' | 'anonymousOwner'>;

/** The key of a request's own connection; undefined: the shared one. A client without sessions is known by its caller or its handle.
 *  @param request undefined for a connection that is begun ahead of requests; it has a credential then */
export function ownKey(
  mode: InstanceMode,
  request: Asking | undefined,
  credential?: CallerCredential,
): string | undefined {
  const sessionId = mode === 'perSession' ? request?.sessionId : undefined;
  if (credential !== undefined)
    return sessionId === undefined ? credential.owner : `${credential.owner} ${sessionId}`;
  if (mode === 'shared') return undefined;
  return sessionId ?? callerKey(request?.caller) ?? request?.anonymousOwner ?? request?.sessionId;
}
