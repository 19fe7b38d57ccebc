import { GatewayError, LOG_LEVELS, McpResourceSource } from 'pegboard';
import type { JsonObject, Scope } from 'pegboard';
import { CodecError, RPC } from './codec.ts';
import { isLogLevel } from './logLevels.ts';
import type { Method, MethodContext } from './method.ts';
import type { Relay } from './relay.ts';

/** What a session asks to be told: log messages from a level on, changes of resources. */
export function watchingMethods(scope: Scope<unknown>, relay: Relay): readonly (readonly [string, Method])[] {
  return [
    ['logging/setLevel', (params, context) => setLevel(relay, params, context)],
    ['resources/subscribe', (params, context) => subscribe(scope, relay, { params, context })],
    [
      'resources/unsubscribe',
      (params, { session }) => {
        relay.subscriptions.remove(session.id, uriIn(params));
        return '{}';
      },
    ],
  ];
}

function setLevel({ levels }: Relay, { level }: JsonObject, { session }: MethodContext): string {
  if (!isLogLevel(level))
    throw new CodecError(RPC.invalidParams, `params.level must be one of ${LOG_LEVELS.join(', ')}`);
  levels.set(session, level);
  return '{}';
}

interface Asked {
  readonly params: JsonObject;
  readonly context: MethodContext;
}

async function subscribe(scope: Scope<unknown>, relay: Relay, { params, context }: Asked): Promise<string> {
  const uri = uriIn(params);
  await relay.subscriptions.add(context.session.id, uri, (updated) => {
    for (const source of scope.all(McpResourceSource)) {
      const begun = source.subscribe?.(uri, context.request, updated);
      if (begun !== undefined) return begun;
    }
    const text = `resource not found: ${uri}; see resources/list`;
    throw new GatewayError('RESOURCE_NOT_FOUND', text, { details: { uri } });
  });
  return '{}';
}

function uriIn({ uri }: JsonObject): string {
  if (typeof uri !== 'string') throw new CodecError(RPC.invalidParams, 'params.uri must be a string');
  return uri;
}
