import type { InboundRequest, RequestFacts } from '../../kernel/contracts/request.ts';

/** Facts of an in-process request. */
export function factsOf(headers: Readonly<Record<string, string>> = {}): RequestFacts {
  return { transport: 'test', access: 'caller', header: (name) => headers[name] };
}

/** A request that has passed the gate, for tests of later stages. */
export function requestOf(headers: Readonly<Record<string, string>> = {}): InboundRequest {
  return {
    ...factsOf(headers),
    id: 'test-1',
    caller: undefined,
    toolset: undefined,
    sessionId: 'test-session',
  };
}
