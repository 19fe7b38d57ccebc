import { one } from 'pegboard';
import type { JsonObject, NoDetails, Offer } from 'pegboard';
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
    /** A server declares something that speaks to the model, hides something from people, or the like. */
    'pin.suspected': Notice & { readonly server: string; readonly names: readonly string[] };
    /** An operator has accepted or refused what a server declares. */
    'pin.settled': Notice & { readonly server: string; readonly name: string; readonly hash: string };
    /** What is accepted of a server is another: what it declares has to be judged again. */
    'pin.renewed': { readonly server: string };
  }
}

/** What is pinned besides tools. */
export type OfferSection = 'prompts' | 'resources' | 'resourceTemplates' | 'instructions' | 'serverInfo';
/** An offer with what its server declares of it. */
export interface DeclaredOffer extends Offer {
  readonly section: OfferSection;
  /** Its name or uri at the server; empty for what there is one of. */
  readonly own: string;
  /** The one form of its exposed name that all equal names have: two servers with one place have the same name. */
  readonly place: string;
  /** As the server declares it; another object for another declaration. */
  readonly declared: JsonObject;
}

/** What is accepted of the declarations of servers. A refused one is refused by a decision layer besides. */
export interface AcceptedDeclarations {
  /** The declaration as it may be shown: as it is now, or as it was accepted; its name is that at the server.
   *  @returns undefined if nothing of it may be shown */
  shown(offer: DeclaredOffer): JsonObject | undefined;
  /** Why nothing of it may be shown, and what helps; undefined if it may. */
  refusal(offer: DeclaredOffer): string | undefined;
}
export const AcceptedDeclarations = one<AcceptedDeclarations>('accepted-declarations');

/** What servers declare now. */
export interface ServerDeclarations {
  /** What those without own lists get besides tools: of each name, the one that has it. */
  offers(): readonly DeclaredOffer[];
  /** What all lists of a server declare, those of its callers included. */
  of(server: string): VersionsOf;
}
/** @param as the exposed name */
export type VersionsOf = (kind: 'tools' | OfferSection, as: string) => readonly JsonObject[];
export const ServerDeclarations = one<ServerDeclarations>('server-declarations');
