import { GatewayError, isGatewayError, messageOf } from 'pegboard';
import type { Log } from 'pegboard';
import type { CredentialRefusal, GuardedServer } from '../../../contracts/credentials.ts';
import { parseChallenges, signInHint } from '../../discovery/challenge.ts';
import { scopesIn } from '../../discovery/scopesIn.ts';

import type { GrantCell } from '../store/grantCell.ts';
import type { CredentialSource } from './credentialSource.ts';
import { isFresh, lossOf } from '../record/grantFacts.ts';
import type { GrantNews } from '../store/grantNews.ts';
import type { KeptGrant, GrantRecord } from '../record/grantRecord.ts';
import type { Grants } from '../store/grants.ts';
import { LOSSES } from '../record/losses.ts';
import { personNeeded } from '../record/personNeeded.ts';
import { grantPlaceOf } from '../record/grantPlaceOf.ts';
import type { Refresher } from '../refresh/refresher.ts';
import type { RefreshTimers } from '../refresh/refreshTimers.ts';

/** A new token that is refused within this time was never accepted. */
const NEW_MS = 60_000;
const MAX_MISSING_SCOPES = 100;

export interface GrantSourceParts {
  readonly grants: Grants;
  readonly refresher: Refresher;
  readonly news: GrantNews;
  readonly log: Log;
  readonly timers: RefreshTimers;
}

/** The access token of a person's sign-in at the server itself. */
export class GrantSource implements CredentialSource {
  readonly values = {};
  readonly #parts: GrantSourceParts;
  readonly #owner: string;
  readonly #server: () => GuardedServer;
  /** Why it could not be read, the last time. */
  #unreadable: GatewayError | undefined;
  /** The same object as long as the token is the same. */
  #headers: Readonly<Record<string, string>> = {};
  #headersFor: string | undefined;

  /** @param server as its definition is now */
  constructor(owner: string, server: () => GuardedServer, parts: GrantSourceParts) {
    this.#owner = owner;
    this.#server = server;
    this.#parts = parts;
  }

  get headers(): Readonly<Record<string, string>> {
    const token = this.#usable()?.accessToken;
    if (token !== this.#headersFor) {
      this.#headersFor = token;
      this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    }
    return this.#headers;
  }
  get secrets(): readonly string[] {
    const { accessToken, refreshToken, client } = this.#cell.record?.grant ?? {};
    return [accessToken, refreshToken, client?.secret].filter((one) => one !== undefined);
  }

  prepare(): Promise<void> | undefined {
    const grant = this.#cell.isCurrent ? this.#usable() : undefined;
    if (grant === undefined || !isFresh(grant, Date.now())) return this.#prepare();
    this.#planRefresh(grant);
    return undefined;
  }

  async isUsable(): Promise<boolean> {
    await this.#parts.grants.current(this.#cell);
    return this.#usable() !== undefined;
  }

  async refused({ status, challenges, headers }: CredentialRefusal): Promise<boolean> {
    if (status === 403) return this.#lacks(challenges);
    const { refresher } = this.#parts;
    const sent = headers['authorization'];
    await this.#attempt(refresher.newest(this.#cell));
    const grant = this.#usable();
    if (grant === undefined) return false;
    if (this.headers['authorization'] !== sent) return true;
    const { accessToken, refreshToken, isAfterRefusal, issuedAt, hasNoLifetime } = grant;
    const wasNeverAccepted = isAfterRefusal === true && Date.now() - issuedAt < NEW_MS;
    if (wasNeverAccepted || refreshToken === undefined) {
      await refresher.lose(this.#cell, accessToken, hasNoLifetime ? 'no-lifetime' : 'refused');
      return false;
    }
    await this.#attempt(refresher.refresh(this.#cell, accessToken, true));
    return this.#usable() !== undefined && this.headers['authorization'] !== sent;
  }

  get fault(): GatewayError {
    const { record, server } = this.#cell;
    const loss = record && lossOf(record, grantPlaceOf(this.#server()), Date.now());
    if (loss !== undefined) return personNeeded(server, LOSSES[loss]);
    if (this.#unreadable !== undefined) return this.#unreadable;
    const { grant, missingScopes, trouble } = record ?? {};
    if (grant === undefined) return personNeeded(server, '');
    if (missingScopes !== undefined) return personNeeded(server, lackText(missingScopes), missingScopes);
    if (trouble !== undefined) return awayFault(server, grant, trouble.reason, trouble.retryAt);
    return personNeeded(server, 'it refuses your access token');
  }

  get missing(): GatewayError | undefined {
    return this.#cell.isCurrent && this.#usable() === undefined ? this.fault : undefined;
  }
  get retryAt(): number | undefined {
    const grant = this.#usable();
    if (grant === undefined || isFresh(grant, Date.now())) return undefined;
    return this.#cell.record?.trouble?.retryAt;
  }

  /** @throws GatewayError */
  async #prepare(): Promise<void> {
    const { grants, refresher } = this.#parts;
    const record = await grants.current(this.#cell);
    const loss = record && lossOf(record, grantPlaceOf(this.#server()), Date.now());
    const { grant, lost } = record ?? {};
    if (loss !== undefined && lost === undefined && grant !== undefined)
      await refresher.lose(this.#cell, grant.accessToken, loss);
    if (loss !== undefined || grant === undefined) throw this.fault;
    if (isFresh(grant, Date.now())) return;
    await refresher.refresh(this.#cell, grant.accessToken);
    const next = this.#usable();
    // The last moments of a token that could not be refreshed are better than an error.
    if (next !== undefined && (next.expiresAt ?? Infinity) > Date.now()) return;
    throw this.fault;
  }

  #usable(): KeptGrant | undefined {
    const { record } = this.#cell;
    if (record === undefined || lossOf(record, grantPlaceOf(this.#server()), Date.now()) !== undefined)
      return undefined;
    return record.grant;
  }

  /** Records the scopes that the server asks for. The grant stays: other calls need fewer. Source: RFC 6750 §3.1 */
  async #lacks(challenges: readonly string[]): Promise<false> {
    const hint = signInHint(parseChallenges(challenges));
    if (hint?.error !== 'insufficient_scope') return false;
    const asked = scopesIn(hint.scope);
    const { record } = this.#cell;
    if (record !== undefined && withMissing(record, asked) === record) return false;
    let before: GrantRecord | undefined;
    const after = await this.#attempt(
      this.#parts.grants.update(this.#cell, (found) => withMissing((before = found), asked)),
    );
    if (after !== undefined && after !== before) this.#parts.news.stepUp(after);
    return false;
  }

  /** Only what is in use is refreshed before it ends. */
  #planRefresh({ accessToken, refreshAt, refreshToken }: KeptGrant): void {
    if (refreshAt === undefined || refreshToken === undefined) return;
    const { timers } = this.#parts;
    if (!timers.isPlanned(this.#cell, accessToken)) this.#plan(accessToken, refreshAt);
  }
  #plan(token: string, at: number): void {
    this.#parts.timers.plan(this.#cell, token, at, () => void this.#refreshAhead(token));
  }
  async #refreshAhead(token: string): Promise<void> {
    await this.#attempt(this.#parts.refresher.refresh(this.#cell, token));
    const { grant, trouble, lost } = this.#cell.record ?? {};
    if (lost !== undefined || grant?.accessToken !== token) return;
    const next = trouble?.retryAt ?? Date.now() + NEW_MS;
    // After its end, the next call asks.
    if (next < (grant.expiresAt ?? Infinity)) this.#plan(token, next);
  }

  /** The fault says it if the vault is away. */
  async #attempt<T>(work: Promise<T>): Promise<T | undefined> {
    this.#unreadable = undefined;
    try {
      return await work;
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      this.#unreadable = error;
      const { log } = this.#parts;
      log.debug('a grant cannot be read now', { server: this.#server().name, reason: messageOf(error) });
      return undefined;
    }
  }

  /** Asked for each time: what is kept in memory may be forgotten. */
  get #cell(): GrantCell {
    return this.#parts.grants.cell(this.#owner, this.#server().name);
  }
}

/** @returns the same record if it names them already */
function withMissing(record: GrantRecord, asked: readonly string[]): GrantRecord {
  const { grant, missingScopes: known = [] } = record;
  const granted = (grant?.scope ?? '').split(' ');
  const lacking = asked.filter((scope) => !granted.includes(scope));
  const all = [...new Set([...known, ...(lacking.length > 0 ? lacking : asked)])];
  const missingScopes = all.slice(0, MAX_MISSING_SCOPES);
  const isKnown = record.missingScopes !== undefined && missingScopes.length === known.length;
  return isKnown ? record : { ...record, missingScopes };
}

function lackText(scopes: readonly string[]): string {
  return scopes.length === 0 ? 'your grant lacks a scope' : `your grant lacks the scopes ${scopes.join(' ')}`;
}

/** It is not the person who can help. */
function awayFault(server: string, { issuer }: KeptGrant, reason: string, retryAt: number): GatewayError {
  const retryAfter = Math.max(1, Math.ceil((retryAt - Date.now()) / 1_000));
  return new GatewayError(
    'UPSTREAM_UNREACHABLE',
    `your access token for MCP server ${server} has ended, and ${issuer} gives no new one now: ${reason}; try again in ${retryAfter} s`,
    { details: { server, retryAfter } },
  );
}
