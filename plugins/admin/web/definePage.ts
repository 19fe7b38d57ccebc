import type { GatewayError, InboundRequest } from 'pegboard';
import type { Authority, PageActor } from '../../contracts/operators.ts';
import type { Html } from '../../kit/http/page.ts';

/** A person who has signed in at the pages. */
export interface Visitor extends PageActor {
  /** How the person recognises it: an e-mail address, or a name. */
  readonly shown: string;
  /** Forms of this sign-in contain it. */
  readonly token: string;
}

/** One request at the admin listener. */
export interface Visit {
  /** Who has signed in; absent without `signIn`: everyone is the operator. */
  readonly visitor?: Visitor;
  /** Values of the `:name` parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** What a form has sent; empty for pages. */
  readonly form: URLSearchParams;
  /** The request for calls of tools on behalf of the operator. */
  readonly request: InboundRequest;
  /** Every form contains it: see `actionForm`. */
  readonly token: string;
}

/** One page. Its facts are shown as HTML, or as JSON to who asks for that, so that both always agree. */
export interface Page<F = unknown> {
  /** `/sessions/:id` */
  readonly path: string;
  /** What it takes of a person who has signed in. Absent: `operate`. With `use` it shows each person what `ownerIn` says. */
  readonly takes?: Authority;
  /** Its name in the navigation, which lists pages in the order of the table; absent: not listed. */
  readonly nav?: string;
  /** JSON; without secrets. @throws GatewayError, such as REQUEST_NOT_FOUND */
  facts(visit: Visit): F | Promise<F>;
  show(facts: F, visit: Visit): Shown;
}
export interface Shown {
  readonly title: string;
  readonly body: Html;
}

/** What changes something: the only requests that do. */
export interface Action {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  /** As for pages. Absent: `define`. */
  readonly takes?: Authority;
  /** @throws GatewayError why nothing was done */
  run(visit: Visit): Done | Answered | Promise<Done | Answered>;
}
export interface Done {
  /** One sentence. */
  readonly message: string;
  /** The page that a browser is sent to after a form. */
  readonly next: string;
}

/** What an action shows itself, because no page could show it later. */
export interface Answered {
  readonly shown: Shown;
  /** The content where JSON is asked for. */
  readonly facts: unknown;
  /** Gives the response its status, and JSON its content; `shown` says it in words. */
  readonly error?: GatewayError;
}

/** Checks the types of a page. */
export function definePage<F>(definition: Page<F>): Page {
  return definition;
}
