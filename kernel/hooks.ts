import {
  AsyncSeriesBailHook,
  AsyncSeriesHook,
  AsyncSeriesWaterfallHook,
  SyncHook,
  SyncWaterfallHook,
} from 'tapable';
import { CallHook } from './callHook.ts';
import type { Tool } from './contracts/call.ts';
import type { KernelEvent } from './contracts/events.ts';
import type { InboundRequest, Reply } from './contracts/request.ts';
import type { ResourceDiff, ResourceDraft } from './contracts/resource.ts';
import type { HookName } from './contracts/handlers.ts';

/** The complete list; a seventh hook needs an entry in DECISIONS.md. */
export interface Hooks extends Readonly<Record<HookName, object>> {
  readonly onConfigLoad: AsyncSeriesWaterfallHook<[ResourceDraft]>;
  readonly onConfigApply: AsyncSeriesHook<[ResourceDiff]>;
  readonly onToolRegister: SyncWaterfallHook<[Tool]>;
  readonly onRequest: AsyncSeriesBailHook<[InboundRequest], Reply | undefined>;
  readonly onCall: CallHook;
  readonly onEvent: SyncHook<[KernelEvent]>;
}
export function createHooks(): Hooks {
  return Object.freeze({
    onConfigLoad: new AsyncSeriesWaterfallHook<[ResourceDraft]>(['draft']),
    onConfigApply: new AsyncSeriesHook<[ResourceDiff]>(['diff']),
    onToolRegister: new SyncWaterfallHook<[Tool]>(['tool']),
    onRequest: new AsyncSeriesBailHook<[InboundRequest], Reply | undefined>(['request']),
    onCall: new CallHook(),
    onEvent: new SyncHook<[KernelEvent]>(['event']),
  });
}

export const HOOK_NAMES: readonly string[] = Object.keys(createHooks());
