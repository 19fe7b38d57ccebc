import type { Call, CallResult, Next, Tool } from './call.ts';
import type { KernelEvent } from './events.ts';
import type { InboundRequest, Reply } from './request.ts';
import type { ResourceDiff, ResourceDraft } from './resource.ts';

export type HookName = keyof Handlers;

/** What a plugin implements; sync or async, except for the two Sync hooks. */
export interface Handlers {
  /** @returns the draft, with definitions added or rewritten. A throw rejects this reload. */
  onConfigLoad(draft: ResourceDraft): ResourceDraft | Promise<ResourceDraft>;
  /** Receives what changed. A throw is recorded as this plugin's issue; the others still run. */
  onConfigApply(diff: ResourceDiff): void | Promise<void>;
  /** @returns the tool, changed or not. A throw refuses that tool. */
  onToolRegister(tool: Tool): Tool;
  /** @returns a Reply to answer now, or undefined to pass. A throw refuses the request. */
  onRequest(request: InboundRequest): Reply | undefined | Promise<Reply | undefined>;
  /** Wraps the taps after it and the tool if it has a second parameter.
   *  @param next runs what it wraps, each time anew; undefined for a tap with one parameter
   *  @returns a result to answer now, or undefined to pass: after next(), what that gave. A throw becomes an error result. */
  onCall(call: Call, next: Next): CallResult | undefined | Promise<CallResult | undefined>;
  /** A throw is logged; an observer never breaks what it observes. */
  onEvent(event: KernelEvent): void;
}
