import { many, one } from 'pegboard';
import type { Caller, InboundRequest, JsonObject, Reply } from 'pegboard';

declare module 'pegboard' {
  interface EventMap {
    /** A person has signed in with an application: `claims.sid` is of the new sign-in. Emitted at the process that issued the tokens. */
    'signIn.begun': { readonly caller: Caller };
    /** The identity provider describes the person of a sign-in otherwise than before, such as with other groups: `caller` is as now. Emitted at the
     *  process that asked the provider. */
    'signIn.changed': { readonly caller: Caller };
    /** A sign-in has ended before its time: signed out, misused, or ended by the identity provider. Emitted at each process. */
    'signIn.ended': { readonly sid: string };
    /** A person has no sign-in any more: the last one was signed out by them, by an operator or by the identity provider. Emitted at the
     *  process that has ended it. */
    'signIn.lastEnded': { readonly issuer: string; readonly subject: string };
  }
}

/** Signatures that are accepted: asymmetric ones only. Metadata documents and challenges list them. */
export const SIGNATURE_ALGORITHMS: readonly string[] = [
  ...['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'EdDSA'],
];

/** The parameters of a form, each at most once but `resource`. */
export interface TokenForm {
  /** An empty value counts as absent (RFC 6749 §3.1). */
  get(name: string): string | undefined;
  all(name: string): readonly string[];
  /** @throws OAuthError invalid_request if it is absent */
  need(name: string): string;
}

/** An application that signs people in here. Source: RFC 7591, OAuth Client ID Metadata Document. */
export interface OAuthClient {
  readonly id: string;
  readonly name?: string;
  readonly redirectUris: readonly string[];
  readonly authMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
  /** SHA-256 of the secret; absent for public clients. */
  readonly secretHash?: string;
  /** Scopes that it may ask for; absent: any. */
  readonly scopes?: readonly string[];
  /** Grant types that it may use; absent: any. */
  readonly grantTypes?: readonly string[];
  /** How it became known. `token`: registered with the registration token; `open`: registered by anyone;
   *  `configured`: by a ClientSource. */
  readonly origin: 'document' | 'token' | 'trusted' | 'open' | 'configured';
}

export interface GrantRequest {
  readonly form: TokenForm;
  /** Authenticated. */
  readonly client: OAuthClient;
  /** Whether the request has a DPoP proof. */
  readonly hasProof: boolean;
  /** Thumbprint of the key of the proof; undefined without one. @throws OAuthError invalid_dpop_proof */
  readonly jkt: () => Promise<string | undefined>;
  /** The client's address; for IPv6 its /64 network. */
  readonly address: string;
}
export interface GrantAnswer {
  readonly body: JsonObject;
  /** Called at the end of the response. @param isAnswered whether all of it was handed to the client's connection */
  readonly ended?: (isAnswered: boolean) => Promise<void>;
}
/** One `grant_type` of the token endpoint. */
export interface Grant {
  readonly type: string;
  /** What it adds to the metadata of the authorization server (RFC 8414). */
  readonly metadata?: JsonObject;
  /** @throws OAuthError */
  redeem(request: GrantRequest): Promise<GrantAnswer>;
}
export const Grant = many<Grant>('oauth-grant');

/** Clients that are known without registration; they come before registered ones of the same id. */
export interface ClientSource {
  /** @throws OAuthError temporarily_unavailable */
  find(id: string): OAuthClient | undefined | Promise<OAuthClient | undefined>;
}
export const ClientSource = many<ClientSource>('oauth-client-source');

/** What a plugin knows about a person, and how: the claims of a token that it has verified. */
export interface VerifiedPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: JsonObject;
  /** Scopes, separated by spaces. */
  readonly scope?: string;
  readonly clientId?: string;
}
/** An access token to issue. */
export interface TokenIssue {
  readonly person: VerifiedPerson;
  readonly client: OAuthClient;
  readonly scope: string;
  readonly jkt: string | undefined;
}
/** This gateway as an authorization server; provided by the plugin `auth-server`. */
export interface AuthorizationServer {
  /** Its baseUrl, without a slash at the end. */
  issuer(): string;
  /** The issuer of the identity provider at which people sign in; undefined before its discovery. */
  providerIssuer(): string | undefined;
  /** Whether a `resource` or an audience names this gateway. Source: RFC 8707 */
  isOwn(resource: string): boolean;
  /** The caller of a request. The session id cannot be computed from the token, and stays the same for renewed ones. */
  callerOf(person: VerifiedPerson): Promise<Caller>;
  /** Whether the caller has signed in here, as opposed to one with a token of another party or for another client. */
  isOwnSignIn(caller: Caller): boolean;
  /** Whether a sign-in has ended, also by its time. False for the session of a caller without a sign-in here.
   *  @param sid the caller's claim @throws GatewayError STORE_UNREACHABLE */
  hasEnded(sid: string): Promise<boolean>;
  /** The response of the token endpoint, without a refresh token. @throws GatewayError STORE_UNREACHABLE */
  issue(issue: TokenIssue): Promise<JsonObject>;
}
export const AuthorizationServer = one<AuthorizationServer>('authorization-server');

/** A sign-in at this gateway, for people. Nothing of it is a credential. Times are ISO 8601. */
export interface ListedSignIn extends JsonObject {
  /** The claim `sid` of its callers. */
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  /** An e-mail address, or a name; absent: the identity provider gives neither. */
  readonly person?: string;
  readonly clientId: string;
  /** As the client calls itself: any characters. */
  readonly clientName?: string;
  readonly since: string;
  /** When its tokens were last refreshed; it has been used for up to 30 minutes since. */
  readonly lastUsed: string;
  /** Where its tokens were last asked for from; absent in a record of an older version. */
  readonly address?: string;
  /** The end, unless its tokens are refreshed before. */
  readonly expires: string;
}
/** The sign-ins that last. Provided by `auth-server`. */
export interface SignInList {
  /** The one used last first. @param person undefined: of all people @throws GatewayError STORE_UNREACHABLE */
  of(person: Pick<Caller, 'issuer' | 'subject'> | undefined): Promise<readonly ListedSignIn[]>;
  /** Ends it as its client can, at every process. @returns false if it does not last @throws GatewayError STORE_UNREACHABLE */
  end(id: string): Promise<boolean>;
}
export const SignInList = one<SignInList>('sign-in-list');

/** Whether the person at a browser is a caller, for pages that act for that caller: a link may have been sent to another person.
 *  Provided by `auth-server`. */
export interface BrowserSignIn {
  /** @param request of the browser
   *  @param returnTo a path of this gateway with its query, at which the page is opened again: `/oauth/proxy/start?state=…`
   *  @returns undefined if the browser has signed in as that caller; else what to answer: a redirect to the identity provider, or a
   *  page that says that the link belongs to another person. `unknowable`: the caller's issuer is not the identity provider, so that
   *  a browser cannot prove that it is this caller's.
   *  @throws OAuthError temporarily_unavailable; service_unavailable before discovery
   *  @throws GatewayError STORE_UNREACHABLE; REQUEST_MALFORMED if returnTo leads elsewhere */
  confirm(
    request: InboundRequest,
    caller: Pick<Caller, 'issuer' | 'subject'>,
    returnTo: string,
  ): Promise<Reply | 'unknowable' | undefined>;
}
export const BrowserSignIn = one<BrowserSignIn>('browser-sign-in');

/** Signs people in at pages of this gateway that have an address of their own, which no cookie of the gateway reaches: as with an
 *  application, by a code for a redirect URI. Each sign-in is listed and ended as others are. Provided by `auth-server`. */
export interface PageSignIn {
  /** Begins a sign-in. @param request of the browser, with the code at the redirect URI
   *  @returns a secret for a cookie, by which `find` knows the person
   *  @throws OAuthError if the code is not good @throws GatewayError STORE_UNREACHABLE */
  redeem(code: PageCode, request: InboundRequest): Promise<string>;
  /** The person as the identity provider describes them now; undefined once the sign-in has ended.
   *  @param client of the pages @throws GatewayError STORE_UNREACHABLE */
  find(secret: string, client: OAuthClient): Promise<Caller | undefined>;
}
export const PageSignIn = one<PageSignIn>('page-sign-in');
export interface PageCode {
  /** As a ClientSource gives it. */
  readonly client: OAuthClient;
  readonly code: string;
  /** Source: RFC 7636 */
  readonly verifier: string;
  readonly redirectUri: string;
  /** How long the sign-in lasts at most. */
  readonly seconds: number;
}

/** More that sign-ins ask the identity provider for. Read at each sign-in, so that those who are signed in lack it until they sign in again. */
export interface SignInScopes {
  /** Client ids at the identity provider that its id_tokens shall also be for, requested as scopes in the form of
   *  `aggregator.oauth.server.idp.audienceScope`. One that `audienceScope` refuses is left out, with a warning; if the provider refuses
   *  them, sign-ins continue without. */
  audiences(): readonly string[];
  /** Names of the definitions that want an audience, for the log. */
  wantedBy?(audience: string): readonly string[];
}
export const SignInScopes = many<SignInScopes>('sign-in-scopes');

/** What the identity provider says about a caller, to hand on to services that trust it. Provided by `auth-server`. */
export interface ProviderTokens {
  /** The id_token of a caller who signed in here, refreshed if it ends soon, once for all processes.
   *  The token of another issuer, byte for byte, that the request of a caller without a sign-in has presented and that was accepted.
   *  Undefined if there is none; never an access token of this gateway. It must not be logged.
   *  @param request only its caller matters for one who signed in here
   *  @throws OAuthError temporarily_unavailable if it has ended and the identity provider cannot be reached
   *  @throws GatewayError STORE_UNREACHABLE */
  idTokenOf(request: TokenHolder): Promise<string | undefined>;
  /** The provider's access token, as idTokenOf(); undefined too for a caller whose request has presented an id_token. */
  accessTokenOf?(request: TokenHolder): Promise<string | undefined>;
}
export const ProviderTokens = one<ProviderTokens>('provider-tokens');
export type TokenHolder = Pick<InboundRequest, 'caller' | 'header'>;

/** Identifies callers by tokens of other issuers. */
export interface BearerTokens {
  /** The token that the request has presented, byte for byte, if the request's caller was identified here by it. */
  tokenOf(request: TokenHolder): string | undefined;
}
export const BearerTokens = many<BearerTokens>('bearer-tokens');
