import { GatewayError, isGatewayError, messageOf } from 'pegboard';
import type { Log } from 'pegboard';
import { doubledMs } from '../../../kit/limits/doubledMs.ts';
import { OAuthError } from '../../../kit/oauth/oauthError.ts';
import type { ProviderTokens, TokenHolder } from '../../../contracts/oauth.ts';
import type { CredentialRefusal, GuardedServer } from '../../../contracts/credentials.ts';
import { isSecure } from '../../discovery/network.ts';
import type { CredentialSource } from './credentialSource.ts';
import { sentType } from './exchangedToken.ts';
import { gatewaySignInNeeded } from './gatewaySignInNeeded.ts';
import type { HeldToken } from './heldToken.ts';

const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 1_800_000;
/** A new token that is refused within this time was never accepted. */
const NEW_MS = 60_000;
const NOT_NOW: readonly number[] = [502, 503];

export interface SingleSignOnParts {
  /** Undefined if this gateway does not sign people in. */
  readonly tokens: () => ProviderTokens | undefined;
  /** What the server gets for the caller's token. @throws GatewayError, OAuthError */
  readonly obtain: (server: GuardedServer, token: string) => HeldToken | Promise<HeldToken>;
  readonly log: Log;
}
export interface SingleSignOnSourceParts extends SingleSignOnParts {
  /** Called when it fails, works again, or is no longer waited for. */
  readonly changed: (server: string) => void;
}
/** A definition that leads elsewhere begins anew. */
interface OfUrl {
  /** URL that the server had then. */
  readonly url: string;
}
interface Failure extends OfUrl {
  readonly error: GatewayError;
  /** No attempt before, in ms since 1970. */
  readonly until: number;
}

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** A token for the server by the caller's sign-in at this gateway: forwarded or exchanged. */
export class SingleSignOnSource implements CredentialSource {
  readonly values = {};
  readonly #server: () => GuardedServer;
  /** A newer request of the same owner may bring a newer token. */
  readonly #holder: () => TokenHolder;
  readonly #parts: SingleSignOnSourceParts;
  #headers = NO_HEADERS;
  #lastHeld: (HeldToken & OfUrl) | undefined;
  #refused: string | undefined;
  #lastFailure: Failure | undefined;
  /** Number of failures in a row. */
  #failures = 0;
  /** Sign-ins at this gateway that they belong to: for another one, an attempt is made at once. */
  readonly #failedFor = new Set<string>();
  /** When the token was asked for that replaces a refused one, in ms since 1970. */
  #replacedAt = 0;
  #running: Promise<void> | undefined;

  constructor(server: () => GuardedServer, holder: () => TokenHolder, parts: SingleSignOnSourceParts) {
    this.#server = server;
    this.#holder = holder;
    this.#parts = parts;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#held === undefined ? NO_HEADERS : this.#headers;
  }
  get secrets(): readonly string[] {
    return this.#held === undefined ? [] : [this.#held.token];
  }
  get progress(): 'failed' | 'pending' | undefined {
    if (this.#failure !== undefined) return 'failed';
    return this.#running !== undefined && this.#held === undefined ? 'pending' : undefined;
  }

  prepare(): Promise<void> | undefined {
    const held = this.#held;
    const now = Date.now();
    if (held === undefined || now >= held.endsAt) return this.#renew();
    if (now >= held.renewAt) this.#renew().catch((error: unknown) => this.#later(error));
    return undefined;
  }

  async isUsable(): Promise<boolean> {
    if (this.#failure !== undefined && Date.now() < this.#failure.until) return false;
    const before = this.#condition;
    try {
      return this.#isSecure && (await this.#token()) !== undefined;
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      this.#failed(error);
      if (this.#condition !== before) this.#parts.changed(this.#server().name);
      return false;
    }
  }

  async refused({ status, headers }: CredentialRefusal): Promise<boolean> {
    const sent = headers['authorization'];
    if (status !== 401) return false;
    if (this.headers['authorization'] !== sent) return this.#held !== undefined;
    const now = Date.now();
    const wasNeverAccepted = now - this.#replacedAt < NEW_MS;
    this.#refused = this.#held?.token;
    this.#replacedAt = now;
    this.#lastHeld = undefined;
    this.#headers = NO_HEADERS;
    if (wasNeverAccepted) {
      this.#failed(this.#refusedFault);
      this.#parts.changed(this.#server().name);
      return false;
    }
    try {
      await this.#renew();
      return true;
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      return false;
    }
  }

  get fault(): GatewayError {
    return this.#failure?.error ?? this.#refusedFault;
  }
  get missing(): GatewayError | undefined {
    return this.#failure?.error;
  }
  get retryAt(): number | undefined {
    return this.#failure?.until;
  }
  get #refusedFault(): GatewayError {
    return gatewaySignInNeeded(
      this.#server().name,
      'it refuses the token of your sign-in; ask its administrator',
    );
  }

  /** @throws GatewayError */
  #renew(): Promise<void> {
    const { error, until = 0 } = this.#failure ?? {};
    if (error !== undefined && Date.now() < until) return Promise.reject(error);
    this.#running ??= this.#obtainAndTell();
    return this.#running;
  }

  async #obtainAndTell(): Promise<void> {
    const before = this.#condition;
    try {
      await this.#obtain();
    } finally {
      this.#running = undefined;
      if (this.#condition !== before) this.#parts.changed(this.#server().name);
    }
  }
  /** What people are told about it: a part of its status. */
  get #condition(): string | boolean {
    return this.#failure?.error.message ?? this.#held !== undefined;
  }

  async #obtain(): Promise<void> {
    const begun = { url: this.#server().url, session: this.#session };
    try {
      const held = await this.#next();
      if (held.token !== this.#lastHeld?.token) this.#headers = { authorization: `Bearer ${held.token}` };
      this.#lastHeld = { ...held, url: begun.url };
      this.#refused = undefined;
      if (this.#failure !== undefined)
        this.#parts.log.info('single sign-on at a server works again', { server: this.#server().name });
      this.#lastFailure = undefined;
      if (Date.now() - this.#replacedAt > NEW_MS) {
        this.#failures = 0;
        this.#failedFor.clear();
      }
    } catch (error) {
      throw this.#failed(error, begun);
    }
  }

  /** @throws GatewayError, OAuthError */
  async #next(): Promise<HeldToken> {
    const server = this.#server();
    const { name } = server;
    if (!this.#isSecure)
      throw gatewaySignInNeeded(
        name,
        'its url is http, and tokens of people are sent by https only; change the url',
      );
    const token = await this.#token();
    if (token === undefined)
      throw gatewaySignInNeeded(
        name,
        'you have no sign-in at this gateway that it accepts; sign in to this gateway',
      );
    const held = await this.#parts.obtain(server, token);
    if (held.token === this.#refused) throw this.#refusedFault;
    return held;
  }

  #failed(
    error: unknown,
    { url, session } = { url: this.#server().url, session: this.#session },
  ): GatewayError {
    const { name } = this.#server();
    const fault = faultOf(name, error);
    // The vault says by itself when it is back.
    if (fault.code === 'STORE_UNREACHABLE') return fault;
    if (this.#failure?.error.message !== fault.message)
      this.#parts.log.warn('single sign-on at a server has failed', { server: name, reason: fault.message });
    if (!this.#failedFor.has(session)) this.#failures = 0;
    this.#failedFor.add(session);
    this.#failures += 1;
    const pauseMs = doubledMs(this.#failures, FIRST_PAUSE_MS, MAX_PAUSE_MS);
    this.#lastFailure = { url, error: fault, until: Date.now() + pauseMs };
    return fault;
  }

  #later(error: unknown): void {
    this.#parts.log.debug('a token of single sign-on was not renewed yet', { reason: messageOf(error) });
  }
  get #held(): HeldToken | undefined {
    return this.#lastHeld?.url === this.#server().url ? this.#lastHeld : undefined;
  }
  get #failure(): Failure | undefined {
    const isSame = this.#lastFailure?.url === this.#server().url && this.#failedFor.has(this.#session);
    return isSame ? this.#lastFailure : undefined;
  }
  /** The claim `sid` of the caller, empty without one; with grantScope subject, a person has several. */
  get #session(): string {
    const sid = this.#holder().caller?.claims?.['sid'];
    return typeof sid === 'string' ? sid : '';
  }
  #token(): Promise<string | undefined> {
    const tokens = this.#parts.tokens();
    const holder = this.#holder();
    const isAccess = sentType(this.#server().auth) === 'access_token';
    return (
      (isAccess ? tokens?.accessTokenOf?.(holder) : tokens?.idTokenOf(holder)) ?? Promise.resolve(undefined)
    );
  }
  get #isSecure(): boolean {
    const { url } = this.#server();
    return URL.canParse(url) && isSecure(new URL(url));
  }
}

function faultOf(server: string, error: unknown): GatewayError {
  if (isGatewayError(error)) return error;
  if (!(error instanceof OAuthError)) throw error;
  if (NOT_NOW.includes(error.status))
    return new GatewayError('UPSTREAM_UNREACHABLE', `MCP server ${server}: ${error.message}`, {
      cause: error,
      details: { server },
    });
  return gatewaySignInNeeded(server, error.message);
}
