import {
  AsyncSeriesBailHook,
  AsyncSeriesHook,
  AsyncSeriesWaterfallHook,
  SyncHook,
  SyncWaterfallHook,
} from 'tapable';
import type { Call, CallResult } from './contracts/call.ts';
import type { KernelEvent } from './contracts/events.ts';
import type { InboundRequest, Reply } from './contracts/request.ts';
import type { ResourceDiff, ResourceDraft } from './contracts/resource.ts';
import type { Tool } from './contracts/tool.ts';

/** The whole list; a seventh hook needs an entry in DECISIONS.md. */
export interface Hooks {
  readonly onConfigLoad: AsyncSeriesWaterfallHook<[ResourceDraft]>;
  readonly onConfigApply: AsyncSeriesHook<[ResourceDiff]>;
  readonly onToolRegister: SyncWaterfallHook<[Tool]>;
  readonly onRequest: AsyncSeriesBailHook<[InboundRequest], Reply | undefined>;
  readonly onCall: AsyncSeriesBailHook<[Call], CallResult | undefined>;
  readonly onEvent: SyncHook<[KernelEvent]>;
}
export type HookName = keyof Hooks;

/** What a plugin writes; sync or async, but for the two Sync hooks. */
export interface Handlers {
  /** @returns the draft, with definitions added or rewritten. A throw rejects this reload. */
  onConfigLoad(draft: ResourceDraft): ResourceDraft | Promise<ResourceDraft>;
  /** Hears what changed. A throw is recorded as this plugin's issue; the others still run. */
  onConfigApply(diff: ResourceDiff): void | Promise<void>;
  /** @returns the tool, changed or not. A throw refuses that tool. */
  onToolRegister(tool: Tool): Tool;
  /** @returns a Reply to answer now, or undefined to pass. A throw refuses the request. */
  onRequest(request: InboundRequest): Reply | undefined | Promise<Reply | undefined>;
  /** @returns a result to answer now, or undefined to pass. A throw becomes an error result. */
  onCall(call: Call): CallResult | undefined | Promise<CallResult | undefined>;
  /** A throw is logged; an observer never breaks the observed. */
  onEvent(event: KernelEvent): void;
}

/** Stages have meanings: identify sets `request.caller`, admit refuses, narrow reduces what is visible. */
export const STAGE = { identify: 10, admit: 20, narrow: 30, normal: 50, last: 90 } as const;

export function createHooks(): Hooks {
  return Object.freeze({
    onConfigLoad: new AsyncSeriesWaterfallHook<[ResourceDraft]>(['draft']),
    onConfigApply: new AsyncSeriesHook<[ResourceDiff]>(['diff']),
    onToolRegister: new SyncWaterfallHook<[Tool]>(['tool']),
    onRequest: new AsyncSeriesBailHook<[InboundRequest], Reply | undefined>(['request']),
    onCall: new AsyncSeriesBailHook<[Call], CallResult | undefined>(['call']),
    onEvent: new SyncHook<[KernelEvent]>(['event']),
  });
}

export const HOOK_NAMES: readonly string[] = Object.keys(createHooks());
