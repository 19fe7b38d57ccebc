import { LOG_LEVELS, firstAnswer } from 'pegboard';
import { McpResourceSource } from '../../upstream/contract.ts';
import type { InboundRequest, JsonObject, Scope } from 'pegboard';
import { CodecError, RPC } from '../message/codec.ts';
import { isLogLevel } from '../client/logLevels.ts';
import type { Method, SessionContext } from './method.ts';
import type { Relay } from '../client/relay.ts';
import { resourceNotFound } from '../message/results.ts';

/** Requests for notifications: log messages from a level on, resource updates. */
export function watchingMethods(
  scope: Scope<unknown>,
  relay: Relay,
): readonly (readonly [string, Method<SessionContext>])[] {
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

function setLevel({ levels }: Relay, { level }: JsonObject, { session }: SessionContext): string {
  if (!isLogLevel(level))
    throw new CodecError(RPC.invalidParams, `params.level must be one of ${LOG_LEVELS.join(', ')}`);
  levels.set(session, level);
  return '{}';
}

interface Subscribing {
  readonly params: JsonObject;
  readonly context: SessionContext;
}

async function subscribe(
  scope: Scope<unknown>,
  relay: Relay,
  { params, context }: Subscribing,
): Promise<string> {
  const uri = uriIn(params);
  const { request, session } = context;
  await relay.subscriptions.add(session.id, uri, (updated) => watch(scope, { uri, request, updated }));
  return '{}';
}

export interface Watch {
  readonly uri: string;
  readonly request: InboundRequest;
  readonly updated: () => void;
}
/** Subscribes at the source that has the resource. @throws GatewayError RESOURCE_NOT_FOUND */
export function watch(scope: Scope<unknown>, { uri, request, updated }: Watch): Promise<() => void> {
  return firstAnswer(
    scope.all(McpResourceSource),
    (source) => source.subscribe?.(uri, request, updated),
    () => resourceNotFound(uri),
  );
}

function uriIn({ uri }: JsonObject): string {
  if (typeof uri !== 'string') throw new CodecError(RPC.invalidParams, 'params.uri must be a string');
  return uri;
}
