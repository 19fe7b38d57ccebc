import type { Call, KernelEvent } from 'pegboard';
import { ADMIN } from '../authority/adminPages.ts';

/** Tells the calls that clients mean from the meta-tools around them, so that all lists and figures count the same. */
export class MeantCalls {
  /** Meta-tools that have called another tool, or were refused one. */
  readonly #told = new WeakSet<Call>();

  /** Whether the event is the end of a call that counts: of a tool, or of a meta-tool that failed before it called one.
   *  What the admin pages ask for themselves does not. */
  isEnd(event: KernelEvent): event is KernelEvent<'call.settled' | 'call.refused'> {
    if (event.type !== 'call.settled' && event.type !== 'call.refused') return false;
    const call = event.type === 'call.settled' ? event.call : event;
    if (call.parent?.tool.kind === 'meta') this.#told.add(call.parent);
    if (call.request.transport === ADMIN) return false;
    if (event.type === 'call.refused' || event.call.tool.kind !== 'meta') return true;
    return event.outcome === 'error' && !this.#told.has(event.call);
  }
}
