import { one } from 'pegboard';

/** Finds out where people sign in for a remote MCP server. */
export interface SignInFinder {
  /** Reads the metadata that the server and its authorization server publish, at each call anew. Never rejects because of
   *  what they answer. Source: RFC 9728, RFC 8414; MCP 2025-11-25, Authorization */
  find(asked: SignInQuestion): Promise<SignInFound>;
}
export const SignInFinder = one<SignInFinder>('sign-in-finder');

export interface SignInQuestion {
  /** Of the MCP server: http or https. */
  readonly url: string;
  /** The `WWW-Authenticate` lines of its 401 response. */
  readonly challenges: readonly string[];
  /** Ends the search; the fault is then the message of its reason. */
  readonly signal: AbortSignal;
}
/** `fault`: what is wrong, and at which URL, for people. It may quote the url of the server and what others publish. */
export type SignInFound = { readonly facts: SignInFacts } | { readonly fault: string };

export interface SignInFacts {
  /** Of the authorization server, exactly as it is published. */
  readonly issuer: string;
  /** What to ask for; absent: the authorization server decides. */
  readonly scopes?: readonly string[];
  /** How a client becomes known there: by the URL of its metadata document, by RFC 7591, or only by its operator. */
  readonly registration: 'client-document' | 'dynamic' | 'configured-only';
  /** What tokens are for (RFC 8707), as published; absent without resource metadata. */
  readonly resource?: string;
  readonly endpoints: SignInEndpoints;
  /** Its answers name their issuer. Source: RFC 9207 */
  readonly namesIssuer: boolean;
  /** The server publishes no resource metadata: its origin is the issuer. Source: MCP 2025-03-26, Authorization */
  readonly isOlder: boolean;
  /** What people should know beside. */
  readonly detail?: string;
}
export interface SignInEndpoints {
  readonly authorization: string;
  readonly token: string;
  readonly registration?: string;
}
