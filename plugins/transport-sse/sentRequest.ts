import type { InboundRequest, JsonObject } from 'pegboard';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;
/** Used where the request has passed the gate; they do not leave that process. */
const CREDENTIALS = new Set(['authorization', 'proxy-authorization', 'cookie', 'dpop']);

/** What the process that holds a stream needs of a request that another process has let in. */
export function sentRequest(request: InboundRequest, headers: Headers): JsonObject {
  const { id, transport, access, caller, toolset, anonymousOwner, method, path, remoteAddress } = request;
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !CREDENTIALS.has(name)) sent[name] = [value].flat().join(', ');
  return {
    id,
    transport,
    access,
    caller,
    toolset,
    anonymousOwner,
    method,
    path,
    remoteAddress,
    headers: sent,
  };
}

/** The same request at that process. */
export function receivedRequest({ headers, ...facts }: JsonObject): InboundRequest {
  const known = new Map(Object.entries(headers as Readonly<Record<string, string>>));
  const absent = { caller: undefined, toolset: undefined, sessionId: undefined };
  return { ...absent, ...facts, header: (name: string) => known.get(name) } as unknown as InboundRequest;
}
