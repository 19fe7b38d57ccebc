import { one } from 'pegboard';
import type { CallOptions, InboundRequest } from 'pegboard';
import type { GrantFacts, GuardedServer, PinnedServer } from './credentials.ts';

/** The status of one server for one caller. Source: requirement resource.auth */
export interface SignInStatus {
  readonly status: 'connected' | 'auth_required' | 'sso_pending' | 'reauth_required' | 'disconnected';
  readonly grant?: GrantFacts;
  /** Set if `core_auth_login` helps. */
  readonly authTool?: string;
  readonly isForwarding?: boolean;
  readonly isExchanging?: boolean;
  readonly hasFailed?: boolean;
  /** Why single sign-on has failed, or which secrets are missing or refused, for people. */
  readonly fault?: string;
}
/** What callers are told about their sign-ins; the same record for auth://status, servers_requiring_auth, core_mcpserver_list
 *  and explain_tool. */
export interface SignInStatuses {
  /** Undefined for a server that wants no sign-in. @throws GatewayError STORE_UNREACHABLE */
  of(server: string, request: InboundRequest): Promise<SignInStatus | undefined>;
  /** Calls `changed` when one may have changed. @returns the function that ends this */
  follow(changed: (server: string) => void): () => void;
}
export const SignInStatuses = one<SignInStatuses>('sign-in-statuses');

/** Finds out where people sign in for a remote MCP server. */
export interface SignInFinder {
  /** Reads the metadata that the server and its authorization server publish, at each call anew. Never rejects because of
   *  what they answer. Source: RFC 9728, RFC 8414; MCP 2025-11-25, Authorization */
  find(asked: SignInQuestion): Promise<SignInFound>;
}
export const SignInFinder = one<SignInFinder>('sign-in-finder');

export interface SignInQuestion extends Partial<
  Pick<PinnedServer, 'assumePkce' | 'authorizationEndpoint' | 'tokenEndpoint' | 'revocationEndpoint'>
> {
  /** URL of the MCP server: http or https. */
  readonly url: string;
  /** The `WWW-Authenticate` lines of its 401 response. */
  readonly challenges: readonly string[];
  /** The authorization server that the operator has pinned: only its own metadata is read. */
  readonly issuer?: string | undefined;
  /** As in the `auth` of the server. */
  readonly isFar?: true | undefined;
  /** Ends the search; the fault is then the message of its reason. */
  readonly signal: AbortSignal;
}
/** `fault`: what is wrong, and at which URL, for people. It may quote the url of the server and what others publish. */
export type SignInFound = { readonly facts: SignInFacts } | { readonly fault: string };

export interface SignInFacts {
  /** Issuer of the authorization server, exactly as it is published. */
  readonly issuer: string;
  /** What to ask for; absent: the authorization server decides. */
  readonly scopes?: readonly string[];
  /** How a client becomes known there: by the URL of its metadata document, by RFC 7591, or only by its operator. */
  readonly registration: 'client-document' | 'dynamic' | 'configured-only';
  /** What tokens are for (RFC 8707), as published; absent without resource metadata. */
  readonly resource?: string;
  readonly endpoints: SignInEndpoints;
  /** How clients authenticate at its token endpoint; absent if it does not say. Source: RFC 8414 §2 */
  readonly authMethods?: readonly string[];
  /** Whether it grants `offline_access`, for which it gives refresh tokens. Source: https://openid.net/specs/openid-connect-core-1_0.html#OfflineAccess */
  readonly grantsOffline: boolean;
  /** Its answers name their issuer. Source: RFC 9207 */
  readonly namesIssuer: boolean;
  /** The server publishes no resource metadata: its origin is the issuer. Source: MCP 2025-03-26, Authorization */
  readonly isOlder: boolean;
  /** Nothing is published at all: the endpoints are those that such a server usually has. */
  readonly isAssumed: boolean;
  /** What people should know beside. */
  readonly detail?: string;
}
export interface SignInEndpoints {
  readonly authorization: string;
  readonly token: string;
  readonly registration?: string;
  /** Source: RFC 7009 */
  readonly revocation?: string;
}

/** Gives a caller the link of a sign-in through its client, when a call meets a server that wants one. Asked by `upstream`. */
export interface SignInOffers {
  /** Asks the client to open the link, and waits for the sign-in; once for all calls of an owner that meet the server meanwhile.
   *  @returns whether to send the call again; false at once if the client cannot show links, or its person has declined
   *  Source: MCP 2025-11-25, Elicitation, URL Mode */
  offer(
    server: GuardedServer,
    request: InboundRequest,
    options: Pick<CallOptions, 'client' | 'cancel'>,
  ): Promise<boolean>;
}
export const SignInOffers = one<SignInOffers>('sign-in-offers');
