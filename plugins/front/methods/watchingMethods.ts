import { LOG_LEVELS } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { CodecError, RPC } from '../message/codec.ts';
import { isLogLevel } from '../client/logLevels.ts';
import type { Method, SessionContext } from './method.ts';
import type { Relay } from '../client/relay.ts';

/** Requests for notifications: log messages from a level on, resource updates. */
export function watchingMethods(relay: Relay): readonly (readonly [string, Method<SessionContext>])[] {
  return [
    ['logging/setLevel', (params, context) => setLevel(relay, params, context)],
    ['resources/subscribe', (params, context) => subscribe(relay, params, context)],
    [
      'resources/unsubscribe',
      (params, { session }) => {
        relay.watched.remove(session.id, uriIn(params));
        return '{}';
      },
    ],
  ];
}

async function setLevel(relay: Relay, { level }: JsonObject, { session }: SessionContext): Promise<string> {
  if (!isLogLevel(level))
    throw new CodecError(RPC.invalidParams, `params.level must be one of ${LOG_LEVELS.join(', ')}`);
  await relay.setLevel(session, level);
  return '{}';
}

async function subscribe(relay: Relay, params: JsonObject, context: SessionContext): Promise<string> {
  const { request, session } = context;
  await relay.watched.add(session, uriIn(params), request);
  return '{}';
}

function uriIn({ uri }: JsonObject): string {
  if (typeof uri !== 'string') throw new CodecError(RPC.invalidParams, 'params.uri must be a string');
  return uri;
}
