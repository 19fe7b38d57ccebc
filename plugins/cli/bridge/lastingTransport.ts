import type { Invocation } from 'pegboard';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { NamedEndpoint } from '../endpointOf.ts';
import type { SessionTransport } from '../gateway.ts';
import { Bridge } from './bridge.ts';

/** A transport for a client in this process that outlives restarts of the gateway. @throws Failure */
export async function lastingTransport(
  invocation: Invocation,
  endpoint: NamedEndpoint,
): Promise<SessionTransport> {
  const transport: SessionTransport = {
    start: () => bridge.start(),
    send: (message) => {
      bridge.receive(message);
      return Promise.resolve();
    },
    terminateSession: () => bridge.close('the session has ended'),
    close: () => {
      transport.onclose?.();
      return Promise.resolve();
    },
  };
  const bridge = new Bridge(invocation, endpoint, {
    write: (message) => transport.onmessage?.(message as unknown as JSONRPCMessage),
    onFailure: (failure) => transport.onerror?.(failure),
    canSignIn: false,
  });
  return Promise.resolve(transport);
}
