import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { appendFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError, messageOf, singleFlight } from 'pegboard';
import type { Log } from 'pegboard';
import { digest } from '../../kit/secrets/secrets.ts';
import { hasShare } from '../../kit/limits/shares.ts';
import type { Session } from '../../contracts/sessions.ts';

const FOLDER = 'sessions-ended';
const DAY_MS = 86_400_000;
const ID_BYTES = 16;
/** Greatest difference between the clocks of two processes: the session must not open again where the clock is behind. */
const MAX_SKEW_SECONDS = 300;
const LINE = /^([\w-]{22})(?: ([\w-]{16}))?$/gm;

export interface EndLimits {
  readonly sessionTtlSeconds: number;
  readonly maxEndedSessions: number;
}

/** The end of a session. @property owner short hash of its caller; empty without sign-in */
export interface End {
  readonly id: string;
  readonly createdAt: number;
  readonly owner: string;
}
type Ended = Pick<Session, 'id' | 'subject' | 'createdAt'>;
interface Day {
  /** 16 bytes each, one character per byte. */
  readonly ids: Set<string>;
  readonly countByOwner: Map<string, number>;
}

/** Sessions that ended before their handle expired: 16 bytes of each, by the day on which it began, in memory and in
 *  `<state>/sessions-ended/<day>`. A day is removed as a whole, once all its handles have expired (decision D28). */
export class EndedSessions {
  readonly #folder: string | undefined;
  readonly #limits: () => EndLimits;
  readonly #log: Log;
  readonly #share: ((end: End, ttlSeconds: number) => Promise<boolean>) | undefined;
  readonly #dayByNumber = new Map<number, Day>();
  #unwritten = new Map<number, string[]>();
  readonly #save = singleFlight(() => this.#append());
  #saved = Promise.resolve();

  /** @param share stores an end for all processes that act as one gateway. @returns false if this process is alone */
  constructor(
    stateDirectory: string | undefined,
    limits: () => EndLimits,
    log: Log,
    share?: (end: End, ttlSeconds: number) => Promise<boolean>,
  ) {
    this.#folder = stateDirectory === undefined ? undefined : join(stateDirectory, FOLDER);
    this.#limits = limits;
    this.#log = log;
    this.#share = share;
  }

  /** Reads the files of earlier processes. */
  load(now: number): void {
    const folder = this.#folder;
    if (folder === undefined || !existsSync(folder)) return;
    for (const name of readdirSync(folder)) {
      const day = Date.parse(name) / DAY_MS;
      if (!Number.isInteger(day)) continue;
      for (const [, id = '', owner = ''] of readFileSync(join(folder, name), 'latin1').matchAll(LINE))
        this.#remember(day, Buffer.from(id, 'base64url').toString('latin1'), owner);
    }
    this.sweep(now);
  }

  has({ id, createdAt }: Pick<Ended, 'id' | 'createdAt'>): boolean {
    const day = this.#dayByNumber.get(dayOf(createdAt));
    return day !== undefined && day.ids.has(bytesOf(id));
  }

  /** Takes effect at once; resolves once it is on disk. A failed write is logged.
   *  @throws GatewayError STORE_FORBIDDEN if the session's owner has no room for one more, STORE_UNREACHABLE */
  async add({ id, subject, createdAt }: Ended): Promise<void> {
    const owner = subject === undefined ? '' : shortHash(subject);
    const held = this.#sum(({ countByOwner }) => countByOwner.get(owner) ?? 0);
    const kept = this.#sum(({ ids }) => ids.size);
    const { maxEndedSessions: max, sessionTtlSeconds } = this.#limits();
    if (!hasShare({ held, kept, max })) {
      const opensUntil = new Date(createdAt + sessionTtlSeconds * 1_000).toISOString();
      const who = subject === undefined ? 'sessions without sign-in have' : 'this caller has';
      const text = `${who} ${held} of at most ${max} stored ends, and the remaining ${max - kept} are reserved for others`;
      const fix = `the handle stays valid until ${opensUntil}; raise plugins.front.config.maxEndedSessions`;
      throw new GatewayError(
        'STORE_FORBIDDEN',
        `the calls of the session were cancelled, but it was not ended: ${text}; ${fix}`,
      );
    }
    const day = dayOf(createdAt);
    const bytes = bytesOf(id);
    this.#remember(day, bytes, owner);
    const ttlSeconds = sessionTtlSeconds - (Date.now() - createdAt) / 1_000 + MAX_SKEW_SECONDS;
    if (await this.#tellOthers({ id, createdAt, owner }, ttlSeconds)) return;
    if (this.#folder === undefined) return;
    const lines = this.#unwritten.get(day) ?? [];
    lines.push(`${Buffer.from(bytes, 'latin1').toString('base64url')}${owner === '' ? '' : ` ${owner}`}\n`);
    this.#unwritten.set(day, lines);
    await (this.#saved = this.#save());
  }

  /** Another process has ended it. */
  learn({ id, createdAt, owner }: End): void {
    this.#remember(dayOf(createdAt), bytesOf(id), owner);
  }

  /** Every end with the time for which its handle would open: at most a day more, because only the day of each is known. */
  *known(now: number): Iterable<readonly [end: End, ttlSeconds: number]> {
    const { sessionTtlSeconds } = this.#limits();
    for (const [day, { ids }] of this.#dayByNumber) {
      const opensUntil = (day + 1) * DAY_MS + (sessionTtlSeconds + MAX_SKEW_SECONDS) * 1_000;
      const ttlSeconds = Math.ceil((opensUntil - now) / 1_000);
      if (ttlSeconds <= 0) continue;
      for (const bytes of [...ids])
        yield [{ id: idOf(bytes), createdAt: day * DAY_MS, owner: '' }, ttlSeconds];
    }
  }

  /** Resolves once everything is written. */
  flush(): Promise<void> {
    return this.#saved;
  }

  /** Removes the days whose handles have all expired. */
  sweep(now: number): void {
    const { sessionTtlSeconds } = this.#limits();
    for (const day of [...this.#dayByNumber.keys()]) {
      if ((day + 1) * DAY_MS + sessionTtlSeconds * 1_000 > now) continue;
      this.#dayByNumber.delete(day);
      if (this.#folder !== undefined)
        rm(join(this.#folder, nameOf(day)), { force: true }).catch((error: unknown) => this.#warn(error));
    }
  }

  #remember(number: number, id: string, owner: string): void {
    const day = this.#dayByNumber.get(number) ?? { ids: new Set(), countByOwner: new Map<string, number>() };
    this.#dayByNumber.set(number, day);
    if (day.ids.has(id)) return;
    day.ids.add(id);
    day.countByOwner.set(owner, (day.countByOwner.get(owner) ?? 0) + 1);
  }

  /** An end that could not be stored counts for no process, so that its client can try again. */
  async #tellOthers(end: End, ttlSeconds: number): Promise<boolean> {
    try {
      return (await this.#share?.(end, ttlSeconds)) === true;
    } catch (error) {
      const day = this.#dayByNumber.get(dayOf(end.createdAt));
      if (day?.ids.delete(bytesOf(end.id)) === true)
        day.countByOwner.set(end.owner, (day.countByOwner.get(end.owner) ?? 1) - 1);
      throw error;
    }
  }

  #sum(count: (day: Day) => number): number {
    let sum = 0;
    for (const day of this.#dayByNumber.values()) sum += count(day);
    return sum;
  }

  /** Sessions that end during a write go into the next one. */
  async #append(): Promise<void> {
    const [folder = '', unwritten] = [this.#folder, this.#unwritten];
    this.#unwritten = new Map();
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // The leading line break ends a line that a kill has cut off.
      for (const [day, lines] of unwritten)
        await appendFile(join(folder, nameOf(day)), `\n${lines.join('')}`, { mode: 0o600 });
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    this.#log.warn('ended sessions cannot be written; after a restart their handles open again', {
      reason: messageOf(error),
    });
  }
}

/** Days since 1970, UTC. */
function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** `2026-02-28` */
function nameOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** @param id a UUID */
function bytesOf(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('latin1');
}

/** @param bytes as bytesOf() returns them */
function idOf(bytes: string): string {
  const hex = Buffer.from(bytes, 'latin1').toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function shortHash(subject: string): string {
  return digest(subject).slice(0, ID_BYTES);
}
