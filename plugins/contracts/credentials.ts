import { one } from 'pegboard';
import type { Caller, GatewayError, InboundRequest } from 'pegboard';
import type { Notice } from './notices.ts';
import type { ClientSecretRef } from './secrets.ts';
import type { TlsSpec } from './servers.ts';

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
  /** Time in ms since 1970 at which it may be tried again, after a failure that may end without a sign-in there; undefined without one. */
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

/** A server as the plugin sees it that signs people in. */
export interface GuardedServer {
  readonly name: string;
  /** Empty for stdio. */
  readonly url: string;
  readonly auth: AuthRules;
  /** What its `${caller:NAME}` references stand for, by NAME. */
  readonly secretWords?: Readonly<Record<string, string>>;
  /** Certificates for its host, as schemas/tls.schema.json says. */
  readonly tls?: TlsSpec | undefined;
  readonly isSuspended: boolean;
  /** State of its shared connection, such as `ready`. */
  readonly state: string;
  /** Whether each caller has a connection of their own, with a credential of their own. */
  readonly isPersonal: boolean;
  /** Whether callers would have to sign in there, but no plugin lets them. */
  readonly wantsSignIns: boolean;
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
  /** All grants and links, sorted by server, then holder. @param person leaves out those of others
   *  @throws GatewayError STORE_UNREACHABLE */
  all(person?: Caller): Promise<readonly StoredGrant[]>;
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

/** How callers sign in to a server: `auth` of its definition, with the names of its `${caller:NAME}` references.
 *  Source: requirement server.schema */
export interface AuthRules {
  /** Undefined: the definition has no `auth`. */
  readonly type: 'oauth' | 'none' | undefined;
  readonly forwardToken: boolean;
  readonly requiredAudiences: readonly string[];
  readonly tokenExchange:
    | {
        readonly endpoint: string;
        readonly connectorId: string | undefined;
        readonly audience?: string | undefined;
        readonly resource?: string | undefined;
        readonly requestedTokenType?: 'id_token' | 'access_token' | 'jwt' | undefined;
        /** The token of the caller's sign-in that is sent. Default: `id_token` with a connector, else `access_token`. */
        readonly subjectTokenType?: 'id_token' | 'access_token' | undefined;
        readonly expectedIssuer: string | undefined;
        readonly scopes: string | undefined;
        readonly clientId: string | undefined;
        /** May be a reference. */
        readonly clientSecret: string | undefined;
        /** Holds both, in place of them. */
        readonly secretRef: ClientSecretRef | undefined;
      }
    | undefined;
  readonly authorizationServer: PinnedServer | undefined;
  readonly grantScope: 'session' | 'subject';
  /** Only of a server of a further namespace: what it names must not lead to this machine or its link. */
  readonly isFar?: true;
  /** Sorted, each once. */
  readonly callerSecrets: readonly string[];
}

/** `auth.authorizationServer` of a definition: the authorization server that it pins, and how that one differs from others. */
export interface PinnedServer {
  readonly issuer: string;
  /** Separated by spaces or commas. */
  readonly scopes?: string | undefined;
  readonly grantScope: 'session' | 'subject';
  readonly clientId?: string | undefined;
  /** May be a reference. */
  readonly clientSecret?: string | undefined;
  readonly tokenEndpointAuthMethod?: 'none' | 'client_secret_basic' | 'client_secret_post';
  /** More parameters of the authorization request. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The parameter of RFC 8707 is left out. */
  readonly resource?: 'none';
  /** S256 counts as supported where its metadata does not say. */
  readonly assumePkce?: boolean;
  /** This and `tokenEndpoint` count in place of metadata. */
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint?: string;
  readonly revocationEndpoint?: string;
}
