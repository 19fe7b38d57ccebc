import { isGatewayError } from 'pegboard';
import type { GatewayError, JsonObject } from 'pegboard';
import { retryWaitMs } from '../backoffMs.ts';
import type { RetryLimits } from '../backoffMs.ts';
import { asGatewayError } from '../rpc/requestErrors.ts';
import { LISTS, LIST_NAMES, readList } from './readList.ts';
import type { ItemOutput, ListLimits, ListName, ReadList } from './readList.ts';
import { PartialReadings } from './partialReadings.ts';
import type { Requests } from '../rpc/requests.ts';

/** Which part of a list was not read, by list. */
export type ListGaps = Readonly<Partial<Record<ListName, string | undefined>>>;
/** The items a server offers, as it declared them. */
export interface Listing extends Readonly<Record<ListName, readonly unknown[]>> {
  readonly gaps?: ListGaps | undefined;
}
export const NOTHING_LISTED: Listing = { tools: [], resources: [], resourceTemplates: [], prompts: [] };

export interface ListingParts {
  readonly limits: () => ListLimits &
    RetryLimits & {
      readonly listDebounceMs: number;
      readonly maxListDebounceMs: number;
      readonly relistMs: number;
    };
  readonly output: ItemOutput;
  /** Whether announcements of the server arrive now. */
  readonly hears: () => boolean;
  /** Called before the listing has these tools. */
  readonly readAhead?: (tools: readonly unknown[]) => Promise<void> | undefined;
  /** Called after a list was read again, with the error if that failed: the old list then stays. */
  readonly reread: (error: GatewayError | undefined) => void;
}

const NOTHING_READ: ReadList = { items: [], ttlMs: undefined, gap: undefined };
type Failures = ReadonlyMap<ListName, GatewayError>;

export interface ToolsFailure {
  readonly error: GatewayError;
  readonly againAt: number | undefined;
}

/** Bounds of what a server says. */
const MIN_TTL_MS = 10_000;
const MAX_TTL_MS = 86_400_000;
/** Unknown names cause no more readings than this. */
const LOOK_AGAIN_MS = 10_000;

const CHANGED: Readonly<Record<string, readonly ListName[]>> = {
  'notifications/tools/list_changed': ['tools'],
  'notifications/prompts/list_changed': ['prompts'],
  'notifications/resources/list_changed': ['resources', 'resourceTemplates'],
};

export const LIST_CHANGES = Object.keys(CHANGED);

/** Keeps the lists of one server current: reads them again after list_changed notifications. */
export class ListingReader {
  readonly #requests: Requests;
  readonly #parts: ListingParts;
  #listing: Listing = NOTHING_LISTED;
  #listedAt: number | undefined;
  #capabilities: JsonObject = {};
  #round = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Timer of the next look whether announcements still arrive. */
  #lookTimer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #reading: Promise<unknown> = Promise.resolve();
  /** How long notifications are gathered, whether any are, and when the reading they caused last ended. */
  #waitMs = 0;
  #isGathering = false;
  #readAt = Number.NEGATIVE_INFINITY;
  readonly #toRead = new Set<ListName>();
  /** How long the server considers its tools current; 0 if it does not say. */
  #toolsTtlMs = 0;
  #toolsFailure: GatewayError | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  readonly #partial = new PartialReadings();
  /** Number of readings in a row in which a list failed. */
  #failed = 0;

  constructor(requests: Requests, parts: ListingParts) {
    this.#requests = requests;
    this.#parts = parts;
  }

  get listing(): Listing {
    return this.#listing;
  }
  /** When the tools were last read, ms since the epoch; undefined if an earlier process has read them, or none. */
  get listedAt(): number | undefined {
    return this.#listedAt;
  }
  /** Why the tools could not be listed the last time, and when they are listed again, ms since the epoch; undefined if they could. */
  get toolsFailure(): ToolsFailure | undefined {
    if (this.#toolsFailure === undefined) return undefined;
    const inMs = this.#dueAt - performance.now();
    return { error: this.#toolsFailure, againAt: Number.isFinite(inMs) ? Date.now() + inMs : undefined };
  }
  /** Sets the listing that an earlier process stored. */
  remember(listing: Listing): void {
    this.#listing = listing;
  }

  /** Reads all lists of a new connection. @returns the error, if one failed: the old lists then stay
   *  @throws GatewayError UPSTREAM_AUTH_REQUIRED if the server wants a sign-in to list its tools */
  async readAll(capabilities: JsonObject): Promise<GatewayError | undefined> {
    this.stop();
    this.#capabilities = capabilities;
    const round = this.#round;
    const reading = this.#read(LIST_NAMES);
    this.#reading = reading;
    const failures = await reading;
    if (round !== this.#round) return undefined;
    const refusal = failures.get('tools');
    if (refusal?.code === 'UPSTREAM_AUTH_REQUIRED') {
      this.stop();
      throw refusal;
    }
    this.#poll();
    return lastOf(failures);
  }

  notified(method: string): void {
    const names = CHANGED[method];
    if (names === undefined) return;
    // The first notification after a pause waits shortest; later ones wait twice as long as those before.
    if (!this.#isGathering && performance.now() - this.#readAt >= this.#waitMs)
      this.#waitMs = this.#parts.limits().listDebounceMs;
    this.#isGathering = true;
    this.#partial.forget(names);
    this.#readSoon(names, this.#waitMs);
  }

  /** Reads the tools again because one is called that is not among them: not every server announces a new one. Resolves when they are read. */
  lookAgain(): Promise<unknown> {
    const now = performance.now();
    if (now - this.#lookedAt >= LOOK_AGAIN_MS) {
      this.#lookedAt = now;
      this.#toRead.add('tools');
      this.#reading = this.#reading.then(() => this.#readAgain());
    }
    return this.#reading;
  }

  /** Discards the readings that are running. */
  stop(): void {
    this.#round += 1;
    clearTimeout(this.#timer);
    clearTimeout(this.#lookTimer);
    this.#timer = undefined;
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#toRead.clear();
    this.#partial.forget(LIST_NAMES);
    this.#failed = 0;
    this.#isGathering = false;
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  /** Lists the tools periodically, when the server considers them outdated, while no announcement of a change would arrive: it
   *  makes none, or there is no stream for it. */
  #poll(): void {
    const { relistMs } = this.#parts.limits();
    if (relistMs === 0) return;
    const tools = this.#capabilities['tools'] as { readonly listChanged?: unknown } | null | undefined;
    clearTimeout(this.#lookTimer);
    if (tools?.listChanged === true && this.#parts.hears()) {
      this.#lookTimer = setTimeout(() => this.#poll(), relistMs);
      return;
    }
    const ttlMs = this.#toolsTtlMs;
    this.#readSoon(['tools'], ttlMs > 0 ? Math.min(Math.max(ttlMs, MIN_TTL_MS), MAX_TTL_MS) : relistMs);
  }

  /** Notifications within the waiting time cause one reading. */
  #readSoon(names: readonly ListName[], afterMs: number): void {
    for (const name of names) this.#toRead.add(name);
    const dueAt = performance.now() + afterMs;
    if (dueAt >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      this.#dueAt = Number.POSITIVE_INFINITY;
      this.#reading = this.#reading.then(() => this.#readAgain());
    }, afterMs);
  }

  async #readAgain(): Promise<void> {
    const round = this.#round;
    const names = [...this.#toRead];
    this.#toRead.clear();
    if (names.length === 0) return;
    const wasAnnounced = this.#isGathering;
    this.#isGathering = false;
    if (wasAnnounced) this.#readAt = Number.POSITIVE_INFINITY;
    const failures = await this.#read(names);
    if (round !== this.#round) return;
    if (wasAnnounced) this.#rest();
    this.#parts.reread(lastOf(failures));
    this.#poll();
  }

  #rest(): void {
    const { listDebounceMs, maxListDebounceMs } = this.#parts.limits();
    this.#readAt = performance.now();
    this.#waitMs = Math.max(listDebounceMs, Math.min(2 * this.#waitMs, maxListDebounceMs));
  }

  async #read(names: readonly ListName[]): Promise<Failures> {
    const round = this.#round;
    const read: Partial<Record<ListName, readonly unknown[]>> = {};
    const gaps: Partial<Record<ListName, string | undefined>> = { ...this.#listing.gaps };
    const failures = new Map<ListName, GatewayError>();
    const take = (name: ListName, { items, gap }: ReadList): void => {
      read[name] = items;
      gaps[name] = gap;
    };
    const readOne = async (name: ListName): Promise<void> => {
      try {
        take(name, this.#offers(name) ? await this.#list(name) : NOTHING_READ);
      } catch (error) {
        if (isUnknownMethod(error)) take(name, NOTHING_READ);
        else {
          failures.set(name, asGatewayError(error));
          read[name] = this.#partial.merged(name, this.#listing[name]);
        }
      }
    };
    await Promise.all(names.map(readOne));
    if (round === this.#round && read.tools !== undefined) await this.#parts.readAhead?.(read.tools);
    if (round !== this.#round) return failures;
    // At once: a starting server of which one list is known would not be waited for.
    const hasGaps = Object.values(gaps).some((gap) => gap !== undefined);
    this.#listing = { ...this.#listing, ...read, gaps: hasGaps ? gaps : undefined };
    if (names.includes('tools')) {
      this.#toolsFailure = failures.get('tools');
      if (this.#toolsFailure === undefined) this.#listedAt = Date.now();
    }
    this.#failed = failures.size > 0 ? this.#failed + 1 : 0;
    if (failures.size > 0) this.#readSoon([...failures.keys()], this.#waitAfter(failures));
    return failures;
  }

  /** How long to wait before the failed lists are asked for again (ms). */
  #waitAfter(failures: Failures): number {
    const asked = [...failures.values()].map(({ details }) => details.retryAfter ?? 0);
    return retryWaitMs(this.#failed, Math.max(...asked), this.#parts.limits());
  }

  async #list(name: ListName): Promise<ReadList> {
    const { limits, output } = this.#parts;
    const parts = {
      ...limits(),
      output,
      // A slip of a server that has tools must not take away those that are known.
      mayBeMissing: name !== 'tools' || this.#capabilities['tools'] === undefined,
    };
    const list = await this.#partial.goOn(name, (reading) =>
      readList(this.#requests, name, { ...parts, reading }),
    );
    if (name === 'tools') this.#toolsTtlMs = list.ttlMs ?? 0;
    return list;
  }

  /** Tools are listed in any case: some servers do not declare the capability. */
  #offers(name: ListName): boolean {
    return name === 'tools' || this.#capabilities[LISTS[name].capability] !== undefined;
  }
}

function lastOf(failures: Failures): GatewayError | undefined {
  return [...failures.values()].at(-1);
}

function isUnknownMethod(error: unknown): boolean {
  return isGatewayError(error) && error.code === 'UPSTREAM_ERROR' && error.details['code'] === -32601;
}
