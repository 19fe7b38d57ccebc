import type { Call, CallResult, ClientMeta } from './call.ts';
import type { ReloadReport } from './config.ts';
import type { JsonObject } from './json.ts';
import type { InboundRequest } from './request.ts';

/** Every type of event, `noun.pastTense`, with its facts. A plugin adds those that it emits:
 *  `declare module 'pegboard' { interface EventMap { 'pool.grown': { readonly size: number } } }`. */
export interface EventMap {
  'call.settled': SettledCall;
  /** The call was refused before it ran. */
  'call.refused': RefusedCall;
  'catalogue.changed': unknown;
  'config.applied': { readonly report: ReloadReport };
  'config.rejected': { readonly report: ReloadReport };
}
export type EventType = keyof EventMap;

/** An event as onEvent taps receive it; checking `type` narrows the other members. */
export type KernelEvent<T extends EventType = EventType> = T extends EventType
  ? { readonly type: T } & EventMap[T]
  : never;

export type SettledCall = { readonly call: Call; readonly ms: number } & CallOutcome;
export type CallOutcome =
  | { readonly outcome: 'ok'; readonly result: CallResult }
  | { readonly outcome: 'error'; readonly error: unknown };

export interface RefusedCall {
  /** The name of the tool that was requested. */
  readonly name: string;
  readonly args: JsonObject;
  readonly request: InboundRequest;
  readonly parent: Call | undefined;
  readonly meta: ClientMeta | undefined;
  readonly error: unknown;
}
