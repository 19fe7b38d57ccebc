import { many } from 'pegboard';
import type { GatewayError, InboundRequest } from 'pegboard';
import type { Authority, PageActor } from './operators.ts';

/** A person who has signed in at the pages. */
export interface AdminVisitor extends PageActor {
  /** How the person recognises it: an e-mail address, or a name. */
  readonly shown: string;
  /** Forms of this sign-in contain it. */
  readonly token: string;
}

/** One request at the admin listener. Who sends it, and from where, is checked already. */
export interface AdminVisit {
  /** Who has signed in; absent without `signIn`: everyone is the operator. */
  readonly visitor?: AdminVisitor;
  /** Values of the `:name` parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** What a form has sent; empty for pages. */
  readonly form: URLSearchParams;
  /** The request for calls of tools on behalf of the operator. */
  readonly request: InboundRequest;
  /** Every form contains it: see `actionForm`. */
  readonly token: string;
  /** What a form that is sent to that path takes, if the person who has signed in does not hold it. */
  readonly lacks: (path: string) => Authority | undefined;
}

/** One page of the admin pages. Its facts are shown as HTML, or as JSON to who asks for that, so that both always agree. */
export interface AdminPage<F = unknown> {
  /** `/sessions/:id` */
  readonly path: string;
  /** What it takes of a person who has signed in. Absent: `operate`. With `use` it shows each person what is theirs. */
  readonly takes?: Authority;
  /** Its name in the navigation; absent: not listed. */
  readonly nav?: string;
  /** Path of the page that it follows in the navigation; absent: at the end. */
  readonly navAfter?: string;
  /** JSON; without secrets. @throws GatewayError, such as REQUEST_NOT_FOUND */
  facts(visit: AdminVisit): F | Promise<F>;
  show(facts: F, visit: AdminVisit): AdminShown;
  /** What its forms are sent to. */
  readonly actions?: readonly AdminAction[];
}
export interface AdminShown {
  readonly title: string;
  /** What `html` of `pegboard/kit` makes: only that escapes what others wrote. */
  readonly body: { readonly text: string };
}

/** What changes something: the only requests that do. */
export interface AdminAction {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  /** As for pages. Absent: `define`. */
  readonly takes?: Authority;
  /** @throws GatewayError why nothing was done */
  run(visit: AdminVisit): AdminDone | AdminAnswered | Promise<AdminDone | AdminAnswered>;
}
export interface AdminDone {
  /** One sentence. */
  readonly message: string;
  /** The page that a browser is sent to after a form. */
  readonly next: string;
}

/** What an action shows itself, because no page could show it later. */
export interface AdminAnswered {
  readonly shown: AdminShown;
  /** The content where JSON is asked for. */
  readonly facts: unknown;
  /** Gives the response its status, and JSON its content; `shown` says it in words. */
  readonly error?: GatewayError;
}

/** Pages that plugins add to the admin pages; each comes and goes with its plugin. */
export const AdminPage = many<AdminPage>('admin-page');
