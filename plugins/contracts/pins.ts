import type { NoDetails } from 'pegboard';
import type { Notice } from './notices.ts';

declare module 'pegboard' {
  interface ErrorCodes {
    /** what a server declares is not what was accepted, and is out until an operator accepts it */
    TOOL_PIN_BLOCKED: NoDetails;
    /** the arguments do not fit both what was accepted of a tool and what its server declares now */
    TOOL_PIN_HELD: NoDetails;
    /** nothing of that name waits to be accepted, or it has another hash */
    PIN_OUTDATED: NoDetails;
  }
  interface EventMap {
    /** A server declares something otherwise than it was accepted. */
    'pin.changed': Notice & { readonly server: string; readonly names: readonly string[] };
    /** A server declares tools that speak to the model, hide something from people, or the like. */
    'pin.suspected': Notice & { readonly server: string; readonly names: readonly string[] };
    /** An operator has accepted or refused what a server declares. */
    'pin.settled': Notice & { readonly server: string; readonly name: string; readonly hash: string };
    /** What is accepted of a server is another: its tools have to be registered again. */
    'pin.renewed': { readonly server: string };
  }
}
