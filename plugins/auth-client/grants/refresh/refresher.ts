import { messageOf, waitAtMost } from 'pegboard';
import type { Log, Scope } from 'pegboard';
import { doubledMs } from '../../../kit/limits/doubledMs.ts';
import { Tally } from '../../../kit/metrics/tally.ts';
import { Peers } from '../../../contracts/processes.ts';
import type { GrantCell } from '../store/grantCell.ts';
import { MAX_TURN_MS } from '../record/grantFacts.ts';
import type { GrantNews } from '../store/grantNews.ts';
import type { KeptGrant, GrantRecord, Loss, Trouble, RefreshTurn } from '../record/grantRecord.ts';
import type { Grants } from '../store/grants.ts';
import type { ErrorWords } from '../record/errorWords.ts';
import { RefreshFault } from './refreshFault.ts';
import { RefreshLease } from './refreshLease.ts';

const POLL_MS = 500;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 300_000;
const STORE_RETRY_MS = 2_000;
const MAX_DRAIN_MS = 5_000;

export interface RefresherParts {
  readonly scope: Scope<unknown>;
  readonly grants: Grants;
  readonly news: GrantNews;
  /** @throws RefreshFault */
  readonly request: (grant: KeptGrant) => Promise<KeptGrant>;
  /** The authorization server does not know a registered client any more. */
  readonly clientLost: (grant: KeptGrant) => void;
}
interface Unstored {
  readonly cell: GrantCell;
  readonly change: (found: GrantRecord) => GrantRecord;
  readonly turn: RefreshTurn;
  /** What the authorization server has said, if it refused. */
  readonly words: ErrorWords | undefined;
}

/** New tokens for grants: one request at a time for each grant, over all processes, and never with a refresh token that another
 *  request may have spent. */
export class Refresher {
  /** Requests for new tokens so far, by cause of the failure; the cause of those that have succeeded is `none`. */
  readonly counts = new Tally();
  readonly #parts: RefresherParts;
  readonly #log: Log;
  readonly #lease: RefreshLease;
  readonly #running = new Map<string, Promise<void>>();
  /** What was issued while the vault could not be written: many authorization servers accept each refresh token only once. */
  readonly #unstored = new Map<string, Unstored>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: RefresherParts) {
    this.#parts = parts;
    this.#log = parts.scope.log;
    this.#lease = new RefreshLease(() => parts.scope.find(Peers));
    // A request that is cut off may have spent its refresh token.
    parts.scope.onDrain(() => waitAtMost(MAX_DRAIN_MS, Promise.allSettled(this.#running.values())));
    parts.scope.onStop(() => clearTimeout(this.#timer));
  }

  /** Makes the record of the cell newer than the one with that access token, unless it cannot be. Calls meanwhile share it.
   *  @param token the one in use @param isRefused by the server @throws GatewayError STORE_UNREACHABLE */
  refresh(cell: GrantCell, token: string, isRefused = false): Promise<void> {
    const running = this.#running.get(cell.id);
    if (running !== undefined) return running;
    const run = this.#refresh(cell, token, isRefused).finally(() => this.#running.delete(cell.id));
    this.#running.set(cell.id, run);
    return run;
  }

  /** The record now, once what could not be stored before is stored. @throws GatewayError STORE_UNREACHABLE */
  async newest(cell: GrantCell): Promise<GrantRecord | undefined> {
    await this.#storeAgain(cell);
    return this.#parts.grants.reread(cell);
  }

  /** Ends the use of a grant until a person signs in again. Only here if the vault is away. @param token the one in use */
  async lose(cell: GrantCell, token: string, loss: Loss): Promise<void> {
    const { grants, news } = this.#parts;
    const lostNow = (found: GrantRecord): GrantRecord =>
      found.lost === undefined && found.grant?.accessToken === token
        ? { ...withoutTurn(found), lost: { at: Date.now(), loss } }
        : found;
    let before: GrantRecord | undefined;
    let after: GrantRecord | undefined;
    try {
      after = await grants.update(cell, (found) => lostNow((before = found)));
    } catch (error) {
      this.#log.debug('a lost grant could not be marked', { server: cell.server, reason: messageOf(error) });
      before = cell.record;
      after = before && lostNow(before);
      cell.learn(after);
    }
    if (after !== undefined && after !== before) news.lost(after);
  }

  async #refresh(cell: GrantCell, token: string, isRefused: boolean): Promise<void> {
    let waited: { readonly turn: string; readonly since: number } | undefined;
    for (;;) {
      const found = await this.newest(cell);
      const { grant, lost, turn, trouble } = found ?? {};
      if (found === undefined || grant?.accessToken !== token || lost !== undefined) return;
      if (grant.refreshToken === undefined || (trouble?.retryAt ?? 0) > Date.now()) return;
      if (turn !== undefined && waited?.turn !== turn.id)
        waited = { turn: turn.id, since: performance.now() };
      const hasWaited = waited !== undefined && performance.now() - waited.since > MAX_TURN_MS;
      if (turn !== undefined && !hasWaited && (await this.#lease.isHeld(turn))) {
        await waitAtMost(POLL_MS, cell.changed());
        continue;
      }
      if (await this.#lease.within((own) => this.#take(cell, found, isRefused, own))) return;
    }
  }

  /** @returns false if another process was faster */
  async #take(cell: GrantCell, found: GrantRecord, isRefused: boolean, turn: RefreshTurn): Promise<boolean> {
    const { grants, request } = this.#parts;
    // A turn that is left over has ended without a word, so its refresh token may be spent.
    const mayBeSpent = found.turn !== undefined || found.trouble?.mayBeSpent === true;
    const { grant } = found;
    if (grant === undefined) return true;
    if (!(await grants.replace(cell, found, { ...found, turn }))) return false;
    let words: ErrorWords | undefined;
    const change = await request(grant).then(
      (next) => {
        this.counts.add({ cause: 'none' });
        return changeTo(isRefused ? { ...next, isAfterRefusal: true } : next);
      },
      (error: unknown) => {
        const fault = RefreshFault.from(error);
        ({ words } = fault.facts);
        return this.#changeAfter(fault, mayBeSpent);
      },
    );
    await this.#store({ cell, change, turn, words });
    return true;
  }

  #changeAfter(fault: RefreshFault, wasSpent: boolean): Unstored['change'] {
    const { message, facts } = fault;
    this.counts.add({ cause: fault.kind });
    const { loss, mayBeSpent = false, retryAfterMs } = facts;
    const at = Date.now();
    if (loss !== undefined) {
      const found = loss === 'revoked' && wasSpent ? 'answer-lost' : loss;
      return (record) => ({ ...withoutTurn(record), lost: { at, loss: found } });
    }
    return (record) => {
      const { since = at, count = 0 } = record.trouble ?? {};
      const backoff = doubledMs(count + 1, FIRST_RETRY_MS, MAX_RETRY_MS) * (1 + Math.random() / 4);
      const trouble: Trouble = {
        since,
        count: count + 1,
        reason: message,
        retryAt: Math.round(at + (retryAfterMs ?? backoff)),
        mayBeSpent: wasSpent || mayBeSpent,
      };
      return { ...withoutTurn(record), trouble };
    };
  }

  /** Writes what a turn has led to; later, if the vault is away. */
  async #store(result: Unstored): Promise<void> {
    const { cell, change } = result;
    const before = cell.record;
    try {
      await this.#write(result);
    } catch (error) {
      this.#log.warn('the new tokens of a grant could not be stored yet', {
        server: cell.server,
        holder: cell.owner,
        reason: messageOf(error),
      });
      this.#unstored.set(cell.id, result);
      if (before !== undefined) cell.learn(change(before));
      this.#storeLater();
    }
  }

  async #write({ cell, change, turn, words }: Unstored): Promise<void> {
    const { grants, news, clientLost } = this.#parts;
    let before: GrantRecord | undefined;
    // Another one's turn, or a new sign-in: what came out of this one is no longer of use.
    const after = await grants.update(cell, (found) => {
      before = found;
      return found.turn?.id === turn.id ? change(found) : found;
    });
    this.#unstored.delete(cell.id);
    if (after === undefined || before === undefined || after === before) return;
    if (after.lost !== undefined) {
      news.lost(after, words);
      if (after.lost.loss === 'client-unknown' && after.grant !== undefined) clientLost(after.grant);
    } else if (after.trouble === undefined) news.refreshed(after);
    else if (before.trouble === undefined) news.expiring(after);
  }

  async #storeAgain(cell: GrantCell): Promise<void> {
    const unstored = this.#unstored.get(cell.id);
    if (unstored !== undefined) await this.#write(unstored);
  }

  #storeLater(): void {
    if (this.#timer !== undefined || this.#parts.scope.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const all = [...this.#unstored.values()].map((one) => this.#write(one));
      void Promise.allSettled(all).then(() => {
        if (this.#unstored.size > 0) this.#storeLater();
      });
    }, STORE_RETRY_MS);
    this.#timer.unref();
  }
}

function changeTo(next: KeptGrant): Unstored['change'] {
  return (record) => ({ ...withoutTurn(record), trouble: undefined, grant: next });
}

function withoutTurn(record: GrantRecord): GrantRecord {
  return { ...record, turn: undefined };
}
