import { one } from 'pegboard';
import type { CallOptions, GatewayError, InboundRequest } from 'pegboard';
import type { AuthRules } from './shared/authRules.ts';
import type { Notice } from '../core-events/contract.ts';

export { fillCallerReferences, isForCallers, isSingleSignOn, readAuthRules } from './shared/authRules.ts';
export type { AuthRules } from './shared/authRules.ts';

declare module 'pegboard' {
  interface EventMap {
    /** A link to sign in was given out. */
    'grant.asked': GrantNotice;
    /** A caller has signed in at a server. */
    'grant.granted': GrantNotice;
    'grant.refreshed': GrantNotice;
    /** The first attempt in a row to refresh it has failed; it may succeed later. */
    'grant.expiring': GrantNotice;
    'grant.lost': GrantNotice;
    'grant.dropped': GrantNotice;
    /** The server wants more scopes than it has. */
    'grant.stepUp': GrantNotice;
  }
}

/** What the callers of this gateway send to servers on their own behalf: grants of a sign-in there, and secrets that they
 *  entered. Asked by `upstream`. */
export interface CallerCredentials {
  /** Whether people can sign in at a server that answers 401, though its definition has no `auth`. Synchronous. */
  canSignIn(server: GuardedServer): boolean;
  /** The credential of the request's caller for a server; the same object for each request of its owner. Synchronous: it
   *  runs with every call. */
  of(server: GuardedServer, request: InboundRequest): CallerCredential;
  /** The credentials that the caller could use now without a sign-in, of all servers; reads the vault at the first question
   *  of each owner only. @throws GatewayError STORE_UNREACHABLE */
  usable(
    request: InboundRequest,
  ): Promise<readonly { readonly server: string; readonly credential: CallerCredential }[]>;
  /** Calls `changed` when an owner (undefined: any) may have more to use than before, such as after a sign-in at another process.
   *  @returns the function that ends this */
  follow(changed: (owner: string | undefined) => void): () => void;
}
export const CallerCredentials = one<CallerCredentials>('caller-credentials');

/** One owner's credential for one server. */
export interface CallerCredential {
  /** Key of its owner: requests with equal keys share a connection to the server. Contains nothing secret. */
  readonly owner: string;
  /** Headers of each HTTP request, `authorization` among them; empty without a grant. The same object until they change. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of the `${caller:NAME}` references of the definition, by NAME. */
  readonly values: Readonly<Record<string, string>>;
  /** Texts to hide wherever the server's words are shown. */
  readonly secrets: readonly string[];
  /** Undefined if it is current. Else resolves when it is: it has been read, or refreshed.
   *  @throws GatewayError UPSTREAM_AUTH_REQUIRED with the cure; STORE_UNREACHABLE */
  prepare(): Promise<void> | undefined;
  /** The server has refused a request. A 401 causes one refresh; a second one loses the grant.
   *  @returns whether to send the request again, with the headers that it has then */
  refused(refusal: CredentialRefusal): Promise<boolean>;
  /** Why calls fail, for a server that has refused: with the missing scopes of a 403, and the cure. */
  readonly fault: GatewayError;
  /** Why it cannot be used now, with the cure; undefined if it can, or if that is not known yet. */
  readonly missing: GatewayError | undefined;
  /** In ms since 1970: when it may be tried again, after a failure that may end without a sign-in there; undefined without one. */
  readonly retryAt: number | undefined;
}
export interface CredentialRefusal {
  readonly status: 401 | 403;
  /** Lines of `WWW-Authenticate`. */
  readonly challenges: readonly string[];
  /** The headers that it was sent with. */
  readonly headers: Readonly<Record<string, string>>;
}

/** `none`: never asked. `asked`: a link was given out. `expiring`: it ends soon, and could not be refreshed yet. `lost`: a person
 *  has to sign in again. */
export type GrantState = 'none' | 'asked' | 'valid' | 'refreshing' | 'expiring' | 'lost';

export type GrantEvent =
  `grant.${'asked' | 'granted' | 'refreshed' | 'expiring' | 'lost' | 'dropped' | 'stepUp'}`;
/** What happened to a grant. Emitted by one process only: the one that has caused it. Never has a credential. */
export interface GrantNotice extends Notice {
  readonly server: string;
  /** Holder of the grant: `owner` of the credential. */
  readonly holder: string;
  readonly state: GrantState;
  /** Kind of the loss, such as `revoked`; only in `grant.lost`. */
  readonly loss?: string;
  /** The missing scopes, separated by spaces; only in `grant.stepUp`. */
  readonly scopes?: string;
}

/** A caller's sign-in at one server, for people. */
export interface GrantFacts {
  readonly state: GrantState;
  /** ISO 8601, as are the next three. */
  readonly since?: string;
  readonly expires?: string;
  readonly nextRefresh?: string;
  readonly reason?: string;
  /** What to do about it. */
  readonly cure?: string;
  /** Scopes that a call has lacked. */
  readonly missingScopes?: readonly string[];
  readonly issuer?: string;
  readonly scope?: string;
}
/** The status of one server for one caller. Source: requirement resource.auth */
export interface SignInStatus {
  readonly status: 'connected' | 'auth_required' | 'sso_pending' | 'reauth_required' | 'disconnected';
  readonly grant?: GrantFacts;
  /** Set if `core_auth_login` helps. */
  readonly authTool?: string;
  readonly isForwarding?: boolean;
  readonly isExchanging?: boolean;
  readonly hasFailed?: boolean;
  /** Why single sign-on has failed, for people. */
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

export interface SignInQuestion {
  /** URL of the MCP server: http or https. */
  readonly url: string;
  /** The `WWW-Authenticate` lines of its 401 response. */
  readonly challenges: readonly string[];
  /** The authorization server that the operator has pinned: only its own metadata is read. */
  readonly issuer?: string | undefined;
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

/** A server as the plugin sees it that signs people in. */
export interface GuardedServer {
  readonly name: string;
  /** Empty for stdio. */
  readonly url: string;
  readonly auth: AuthRules;
  readonly isSuspended: boolean;
  /** State of its shared connection, such as `ready`. */
  readonly state: string;
  /** Whether each caller has a connection of their own, with a credential of their own. */
  readonly isPersonal: boolean;
  /** Lines of `WWW-Authenticate` of its last 401 to a request without a credential. */
  readonly challenges: readonly string[];
  /** Connects with a credential and reads the lists, unless that has been done. @throws GatewayError UPSTREAM_* */
  connect(credential: CallerCredential): Promise<OwnOffer>;
  /** Ends an owner's connection. @param isForgotten whether its tools are no longer listed for the owner */
  disconnect(owner: string, isForgotten: boolean): Promise<void>;
}
export interface GuardedServers {
  get(name: string): GuardedServer | undefined;
  /** All servers, sorted by name. */
  all(): readonly GuardedServer[];
  /** The server whose tools have such names, if the request's caller cannot use it without a sign-in; else it is connected. */
  lockedBehind(tool: string, request: InboundRequest): Promise<GuardedServer | undefined>;
}
/** What a server offers to one owner: exposed names. */
export interface OwnOffer {
  readonly tools: readonly string[];
  readonly resources: readonly string[];
  readonly prompts: readonly string[];
}
export const GuardedServers = one<GuardedServers>('guarded-servers');

/** Gives out persons' own grants, for the broker. */
export interface GrantRelease {
  /** The grant of a person at an authorization server, refreshed first if it is due, by one request of all processes.
   *  @param person `issuer` is the login identity provider, `subject` the person there
   *  @param grantIssuer that a definition pins by `auth.authorizationServer`, with grantScope `subject`, now
   *  @returns undefined without such a definition, without a grant, or if its refresh was refused
   *  @throws GatewayError UPSTREAM_UNREACHABLE, UPSTREAM_TIMEOUT if it has to be refreshed and cannot be now; STORE_UNREACHABLE */
  release(person: GrantedPerson, grantIssuer: string): Promise<ReleasedGrant | undefined>;
}
export const GrantRelease = one<GrantRelease>('grant-release');
export interface GrantedPerson {
  readonly issuer: string;
  readonly subject: string;
}
export interface ReleasedGrant {
  readonly accessToken: string;
  /** Seconds that are left; absent if the authorization server has not said. */
  readonly expiresIn?: number;
  /** Separated by spaces; absent if it is not known. */
  readonly scope?: string;
}

/** All persons' stored grants, for operators. Nothing of it is a credential. */
export interface GrantStore {
  /** All grants and links, sorted by server, then holder. @throws GatewayError STORE_UNREACHABLE */
  all(): Promise<readonly StoredGrant[]>;
  /** Asks for new tokens now, unless a pause after a failure lasts, or there is no refresh token.
   *  @returns what has become of it; undefined without such a grant @throws GatewayError STORE_UNREACHABLE */
  refresh(id: string): Promise<StoredGrant | undefined>;
  /** Discards it, ends its connections, and revokes it later, if that works. @returns whether there was one
   *  @throws GatewayError STORE_UNREACHABLE */
  drop(id: string): Promise<boolean>;
  /** As `drop`, of all holders; the definition may be gone. @returns how many grants @throws GatewayError STORE_UNREACHABLE */
  dropServer(server: string): Promise<number>;
  /** As `drop`, all grants; and all secrets that persons have entered. @returns how many grants and secrets
   *  @throws GatewayError STORE_UNREACHABLE */
  dropAll(): Promise<number>;
}
export const GrantStore = one<GrantStore>('grant-store');
/** A grant, or a link that was given out for one. */
export interface StoredGrant extends Pick<
  GrantFacts,
  'state' | 'since' | 'expires' | 'nextRefresh' | 'reason'
> {
  /** Id of this grant, as long as it is stored. */
  readonly id: string;
  /** A digest of `owner`: equal for the grants of one owner. */
  readonly holder: string;
  readonly server: string;
}

/** The next step of a caller who has to sign in at a server. */
export function signInCall(server: string): string {
  return `call core_auth_login with {"server": ${JSON.stringify(server)}}`;
}
