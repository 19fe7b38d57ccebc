import { messageOf } from 'pegboard';
import type { JsonObject, Log } from 'pegboard';
import type { Vault } from '../contracts/vault.ts';
import { inTurn } from '../kit/limits/inTurn.ts';
import type { Turns } from '../kit/limits/turns.ts';
import type { PinsConfig } from './config.ts';
import { KnownPins } from './knownPins.ts';
import { canonicalText, fingerprint, pinned, trustIn } from './fingerprint.ts';
import {
  NO_RECORD,
  idOf,
  isFull,
  mergedPins,
  pinKey,
  readRecord,
  recordValue,
  shortName,
  stepped,
} from './pinRecord.ts';
import type { Pin, PinRecord, PinStep } from './pinRecord.ts';
import { withTexts } from './pinTexts.ts';
import { UnwrittenSteps } from './unwrittenSteps.ts';
import type { Doubt, Matter, Sight } from './sight.ts';

const PREFIX = 'pins:';
const MAX_TRIES = 10;
/** How often as long as the last writing took is waited for the next one: each writes all that is kept of a server. */
const REST = 4;
const MAX_REST_MS = 2_000;
/** Writings below this need no rest. */
const SHORT_MS = 50;

export interface BookParts {
  readonly config: () => PinsConfig;
  readonly log: Log;
  readonly turns: Turns;
  readonly vault: () => Vault | undefined;
  /** What is accepted of the server is another. */
  readonly renewed: (server: string) => void;
  /** A change was written. */
  readonly written: (server: string) => void;
}

/** What is accepted of the declarations of all servers, in memory and in the vault. */
export class PinBook {
  readonly #parts: BookParts;
  readonly #known: KnownPins;
  readonly #steps = new UnwrittenSteps();
  /** Servers of which the vault may have lost what is known here. */
  readonly #lost = new Set<string>();
  readonly #take = inTurn();
  readonly #waiting = new Set<string>();
  #isRead = false;
  #tookMs = 0;
  #warned = '';

  constructor(parts: BookParts) {
    this.#parts = parts;
    this.#known = new KnownPins(parts.turns);
  }

  get isRead(): boolean {
    return this.#isRead;
  }
  /** Whether something is not written. */
  get isBehind(): boolean {
    return this.#steps.servers.length + this.#lost.size > 0;
  }
  get servers(): readonly string[] {
    return this.#known.servers;
  }

  /** Reads what is kept of all servers. @returns whether it is known now */
  async read(): Promise<boolean> {
    const vault = this.#parts.vault();
    const isDone = await this.#tried(async () => {
      const keys = (await vault?.list(PREFIX)) ?? [];
      const readAll = () => Promise.all(keys.map((key) => this.#readOne(vault, key.slice(PREFIX.length))));
      await this.#take(readAll);
    });
    this.#isRead ||= isDone;
    return isDone;
  }
  /** Reads again what is kept of one server, after another process has changed it. */
  async reread(server: string): Promise<void> {
    // Not while something is written, which would be forgotten here.
    const isDone = await this.#take(() => this.#tried(() => this.#readOne(this.#parts.vault(), server)));
    if (isDone) this.#parts.renewed(server);
  }
  /** The vault has lost its entries: it gets back what is known here. */
  async writeBack(): Promise<void> {
    for (const server of this.#known.servers) this.#lost.add(server);
    await this.flush();
  }
  async #readOne(vault: Vault | undefined, server: string): Promise<void> {
    const value = await vault?.get(PREFIX + server);
    const id = idOf(value);
    if (id !== undefined && id === this.#known.of(server)?.id) return;
    const record = await readRecord(value, this.#parts.turns);
    if (record === undefined) return;
    const known = this.#known.begun(server);
    const merged = await this.#merged(server, record);
    await this.#known.adopt(server, known, { ...merged, id }, this.#steps);
  }

  /** @returns undefined if the declaration was accepted, or is the first one of that name */
  judge(sight: Sight, asks: boolean): Matter | undefined {
    const { server, kind, own, as, place, declared, hash = fingerprint(kind, declared) } = sight;
    const trust = kind === 'tools' ? trustIn(declared['annotations']) : 0;
    // Not the whole sight: it may be a former matter.
    const fresh = { server, kind, own, as, place, declared, hash, trust };
    const matter = (doubt: Doubt, accepted = 0): Matter => ({ ...fresh, doubt, accepted });
    if (!this.#isRead) return matter('unread');
    const key = pinKey(kind, own);
    const record = this.#known.of(server) ?? NO_RECORD;
    const pin = record.pins.get(key);
    if (pin?.refused.includes(hash) === true) return matter('refused');
    const name = shortName(place);
    const former = pin?.as === name ? undefined : this.#known.holderOf(key, name);
    if (former !== undefined && former.server !== server)
      return { ...matter('moved', trustOf(this.#pinOf(former.server, former.key))), former };
    const step: PinStep = { step: 'see', key, as: name, version: [hash, trust], text: '' };
    // Of a pin without versions, all that was seen was refused.
    if (asks && (pin?.accepted.length ?? 0) === 0) return matter('new');
    if (pin === undefined) {
      if (record.pins.size >= this.#parts.config().maxPins) return matter('beyond');
      this.#do(server, { ...step, text: canonicalText(pinned(kind, declared)) });
      return undefined;
    }
    if (!holds(pin, hash)) return matter(isFull(pin) ? 'refused' : 'changed', trustOf(pin));
    if (pin.as !== name) this.#do(server, step);
    return undefined;
  }

  /** The newest accepted version of what a matter is about; undefined if its text is not kept. */
  textOf({ server, kind, own, former = { server, key: pinKey(kind, own) } }: Matter): JsonObject | undefined {
    const fresh = this.#steps.firstOf(former.server, former.key);
    const record = this.#known.of(former.server) ?? NO_RECORD;
    const text = fresh?.text ?? this.#known.textIn(record, former.key);
    if (text === undefined) return undefined;
    const parts = JSON.parse(text) as JsonObject;
    const [newest] = record.pins.get(former.key)?.accepted ?? [];
    return newest?.[0] === fingerprint(kind, parts) ? parts : undefined;
  }

  /** Settles declarations of one server in one step. Resolves once it is written.
   *  @throws GatewayError of the vault: then nothing has changed */
  async settle(server: string, matters: readonly Matter[], isAccepted: boolean): Promise<void> {
    const steps = matters.map(({ kind, own, place, hash, trust, declared }): PinStep => {
      const text = isAccepted ? canonicalText(pinned(kind, declared)) : '';
      const step = isAccepted ? 'accept' : 'refuse';
      return { step, key: pinKey(kind, own), as: shortName(place), version: [hash, trust], text };
    });
    await this.#take(() => this.#write(server, steps));
    this.#parts.renewed(server);
  }

  /** Writes what is not written yet. Never rejects: it writes warnings. */
  async flush(): Promise<void> {
    for (const server of new Set([...this.#steps.servers, ...this.#lost]))
      await this.#take(async () => {
        if (!this.isBehind || !this.#isRead) return;
        const isLost = this.#lost.delete(server);
        const steps = this.#steps.begin(server);
        const began = performance.now();
        const isDone =
          (steps.length === 0 && !isLost) ||
          (await this.#tried(async () => {
            if (await this.#write(server, steps)) this.#parts.renewed(server);
          }));
        this.#tookMs = performance.now() - began;
        this.#steps.end(server, isDone);
        if (!isDone && isLost && this.#known.of(server) !== undefined) this.#lost.add(server);
      });
    // What is being written already: the stop waits for it.
    await this.#take(() => Promise.resolve());
  }

  /** The definition of the server was removed. */
  async forget(server: string): Promise<void> {
    this.#steps.forget(server);
    this.#lost.delete(server);
    await this.#known.forget(server);
    await this.#take(() =>
      this.#tried(async () => {
        await this.#parts.vault()?.delete(PREFIX + server);
      }),
    );
  }
  #do(server: string, step: PinStep): void {
    const next = stepped(this.#known.of(server)?.pins.get(step.key), step);
    if (next === undefined) return;
    this.#known.set(server, step.key, next);
    this.#steps.add(server, step);
    this.#flushSoon(server);
  }
  #flushSoon(server: string): void {
    if (this.#waiting.has(server)) return;
    this.#waiting.add(server);
    const flush = (): void => {
      this.#waiting.delete(server);
      void this.flush();
    };
    const restMs = this.#tookMs < SHORT_MS ? 0 : Math.min(REST * this.#tookMs, MAX_REST_MS);
    if (restMs === 0) setImmediate(flush);
    else setTimeout(flush, restMs).unref();
  }

  /** @returns whether another process has accepted something else first */
  async #write(server: string, steps: readonly PinStep[]): Promise<boolean> {
    const { vault: vaultNow, turns, written } = this.#parts;
    const vault = vaultNow();
    const known = this.#known.begun(server);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const before = await vault?.get(PREFIX + server);
      const isKnown = before === undefined || (known.id !== undefined && idOf(before) === known.id);
      const record = isKnown ? undefined : await readRecord(before, turns);
      const base = record === undefined ? known : await this.#merged(server, record);
      const next = await this.#after(base, steps);
      const value = await recordValue(next, turns);
      const isWritten =
        vault === undefined ||
        (before === undefined
          ? await vault.putIfAbsent(PREFIX + server, value)
          : await vault.compareAndSwap(PREFIX + server, before, value));
      if (!isWritten) continue;
      await this.#known.adopt(server, known, { ...next, id: value.id }, this.#steps);
      written(server);
      return steps.some(
        ({ step, key, version: [hash] }) => step === 'see' && !holds(next.pins.get(key), hash),
      );
    }
    throw new Error('other processes write it all the time');
  }
  async #after(record: PinRecord, steps: readonly PinStep[]): Promise<PinRecord> {
    const { turns, config } = this.#parts;
    const pins = new Map(record.pins);
    const texts = new Map<string, string>();
    for (const step of steps) {
      if (turns.isDue) await turns.next();
      const next = stepped(pins.get(step.key), step) ?? pins.get(step.key);
      if (next === undefined) continue;
      pins.set(step.key, next);
      const [newest] = next.accepted;
      if (step.text !== '' && newest?.[0] === step.version[0]) texts.set(step.key, step.text);
    }
    return { pins, texts: await withTexts(record.texts, texts, config().maxTextBytes, turns) };
  }

  /** A store that has lost its entries must not make what is known new. */
  async #merged(server: string, kept: PinRecord): Promise<PinRecord> {
    const { turns, config } = this.#parts;
    const known = this.#known.of(server) ?? NO_RECORD;
    // What is not written yet is not known: of two first sights, that which was written first holds.
    const isFirst = (key: string): boolean => this.#steps.firstOf(server, key) !== undefined;
    const pins = await mergedPins(known, kept, isFirst, turns);
    const newest = (pin: Pin | undefined) => pin?.accepted[0]?.[0];
    const found = new Map<string, string>();
    for (const [key, pin] of pins) {
      if (turns.isDue) await turns.next();
      const text = newest(pin) === newest(kept.pins.get(key)) ? undefined : this.#known.textIn(known, key);
      if (text !== undefined) found.set(key, text);
    }
    return { pins, texts: await withTexts(kept.texts, found, config().maxTextBytes, turns) };
  }
  #pinOf(server: string, key: string): Pin | undefined {
    return this.#known.of(server)?.pins.get(key);
  }

  async #tried(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.#warned = '';
      return true;
    } catch (thrown) {
      const error = messageOf(thrown);
      const text = 'what is accepted of the declarations of servers could not be read or kept';
      if (error !== this.#warned) this.#parts.log.warn(text, { error });
      this.#warned = error;
      return false;
    }
  }
}

/** What the newest accepted version may be trusted with. */
function trustOf(pin: Pin | undefined): number {
  return pin?.accepted[0]?.[1] ?? 0;
}
function holds(pin: Pin | undefined, hash: string): boolean {
  return pin?.accepted.some(([one]) => one === hash) === true;
}
