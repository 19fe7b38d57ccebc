import { messageOf } from 'pegboard';
import type { JsonObject, Log } from 'pegboard';
import type { Vault } from '../contracts/vault.ts';
import { inTurn } from '../kit/limits/inTurn.ts';
import type { PinsConfig } from './config.ts';
import { canonicalText, fingerprint, pinned, trustIn } from './fingerprint.ts';
import {
  NO_RECORD,
  isFull,
  mergedPins,
  pinKey,
  readRecord,
  recordValue,
  stepped,
  textsIn,
  withTexts,
} from './pinRecord.ts';
import type { Pin, PinRecord, PinStep } from './pinRecord.ts';
import type { Doubt, Matter, Sight } from './sight.ts';

const PREFIX = 'pins:';
const MAX_TRIES = 10;

export interface BookParts {
  readonly config: () => PinsConfig;
  readonly log: Log;
  readonly vault: () => Vault | undefined;
  /** What is accepted of the server is another. */
  readonly renewed: (server: string) => void;
  /** A change was written. */
  readonly written: (server: string) => void;
}

/** What is accepted of the declarations of all servers, in memory and in the vault. */
export class PinBook {
  readonly #parts: BookParts;
  readonly #records = new Map<string, PinRecord>();
  /** Offered names → the server and the pin that had them when they were accepted. */
  readonly #holders = new Map<string, { readonly server: string; readonly key: string }>();
  /** Steps that are not written yet. */
  readonly #steps = new Map<string, PinStep[]>();
  /** Servers of which the vault may have lost what is known here. */
  readonly #lost = new Set<string>();
  /** Texts that were unpacked, while memory allows: each of thousands of held tools looks up its own. */
  readonly #unpacked = new WeakMap<PinRecord, WeakRef<ReadonlyMap<string, string>>>();
  readonly #take = inTurn();
  readonly #waiting = new Set<string>();
  #isRead = false;
  #warned = '';

  constructor(parts: BookParts) {
    this.#parts = parts;
  }

  get isRead(): boolean {
    return this.#isRead;
  }
  /** Whether something is not written. */
  get isBehind(): boolean {
    return this.#steps.size + this.#lost.size > 0;
  }
  get servers(): readonly string[] {
    return [...this.#records.keys()];
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
    for (const server of this.#records.keys()) this.#lost.add(server);
    await this.flush();
  }
  async #readOne(vault: Vault | undefined, server: string): Promise<void> {
    const record = readRecord(await vault?.get(PREFIX + server));
    if (record !== undefined) this.#adopt(server, await this.#merged(server, record));
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
    const record = this.#records.get(server) ?? NO_RECORD;
    const pin = record.pins.get(key);
    if (pin?.refused.includes(hash) === true) return matter('refused');
    const former = pin?.as === place ? undefined : this.#holders.get(nameIn(key, place));
    if (former !== undefined && former.server !== server)
      return { ...matter('moved', trustOf(this.#pinOf(former.server, former.key))), former };
    const step: PinStep = { step: 'see', key, as: place, version: [hash, trust], text: '' };
    // Of a pin without versions, all that was seen was refused.
    if (asks && (pin?.accepted.length ?? 0) === 0) return matter('new');
    if (pin === undefined) {
      if (record.pins.size >= this.#parts.config().maxPins) return matter('beyond');
      this.#do(server, { ...step, text: canonicalText(pinned(kind, declared)) });
      return undefined;
    }
    if (!holds(pin, hash)) return matter(isFull(pin) ? 'refused' : 'changed', trustOf(pin));
    if (pin.as !== place) this.#do(server, step);
    return undefined;
  }

  /** The newest accepted version of what a matter is about; undefined if its text is not kept. */
  textOf({ server, kind, own, former = { server, key: pinKey(kind, own) } }: Matter): JsonObject | undefined {
    const fresh = this.#steps.get(former.server)?.find(({ key, text }) => key === former.key && text !== '');
    const record = this.#records.get(former.server) ?? NO_RECORD;
    const text = fresh?.text ?? this.#textsIn(record).get(former.key);
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
      return { step, key: pinKey(kind, own), as: place, version: [hash, trust], text };
    });
    await this.#take(() => this.#write(server, steps));
    this.#parts.renewed(server);
  }

  /** Writes what is not written yet. Never rejects: it writes warnings. */
  async flush(): Promise<void> {
    for (const server of new Set([...this.#steps.keys(), ...this.#lost]))
      await this.#take(async () => {
        // A copy: what is seen while it is written is pushed, and must not count as written.
        const steps = [...(this.#steps.get(server) ?? [])];
        if ((steps.length === 0 && !this.#lost.has(server)) || !this.#isRead) return;
        const isDone = await this.#tried(async () => {
          if (await this.#write(server, steps)) this.#parts.renewed(server);
        });
        if (!isDone) return;
        this.#lost.delete(server);
        const left = (this.#steps.get(server) ?? []).slice(steps.length);
        if (left.length > 0) this.#steps.set(server, left);
        else this.#steps.delete(server);
      });
  }

  /** The definition of the server was removed. */
  async forget(server: string): Promise<void> {
    this.#steps.delete(server);
    this.#lost.delete(server);
    this.#adopt(server, NO_RECORD);
    this.#records.delete(server);
    // What two servers had in turn is that of the other one now.
    for (const [other, { pins }] of this.#records)
      for (const [key, { as }] of pins)
        if (!this.#holders.has(nameIn(key, as))) this.#holders.set(nameIn(key, as), { server: other, key });
    await this.#take(() =>
      this.#tried(async () => {
        await this.#parts.vault()?.delete(PREFIX + server);
      }),
    );
  }

  #do(server: string, step: PinStep): void {
    const record = this.#records.get(server) ?? NO_RECORD;
    const next = stepped(record.pins.get(step.key), step);
    if (next === undefined) return;
    // In place: thousands of tools are seen at once.
    if (this.#records.has(server)) (record.pins as Map<string, Pin>).set(step.key, next);
    else this.#records.set(server, { pins: new Map([[step.key, next]]), packed: '' });
    this.#holders.set(nameIn(step.key, step.as), { server, key: step.key });
    const steps = this.#steps.get(server);
    if (steps === undefined) this.#steps.set(server, [step]);
    else steps.push(step);
    this.#flushSoon(server);
  }
  #flushSoon(server: string): void {
    if (this.#waiting.has(server)) return;
    this.#waiting.add(server);
    setImmediate(() => {
      this.#waiting.delete(server);
      void this.flush();
    });
  }

  /** @returns whether another process has accepted something else first */
  async #write(server: string, steps: readonly PinStep[]): Promise<boolean> {
    const vault = this.#parts.vault();
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const before = await vault?.get(PREFIX + server);
      const record = readRecord(before) ?? this.#records.get(server) ?? NO_RECORD;
      const next = await this.#after(await this.#merged(server, record), steps);
      const value = recordValue(next);
      const isWritten =
        vault === undefined ||
        (before === undefined
          ? await vault.putIfAbsent(PREFIX + server, value)
          : await vault.compareAndSwap(PREFIX + server, before, value));
      if (!isWritten) continue;
      this.#adopt(server, next);
      this.#parts.written(server);
      return steps.some(
        ({ step, key, version: [hash] }) => step === 'see' && !holds(next.pins.get(key), hash),
      );
    }
    throw new Error('other processes write it all the time');
  }
  #after(record: PinRecord, steps: readonly PinStep[]): Promise<PinRecord> {
    const pins = new Map(record.pins);
    const texts = new Map<string, string>();
    for (const step of steps) {
      const next = stepped(pins.get(step.key), step) ?? pins.get(step.key);
      if (next === undefined) continue;
      pins.set(step.key, next);
      const [newest] = next.accepted;
      if (step.text !== '' && newest?.[0] === step.version[0]) texts.set(step.key, step.text);
    }
    return withTexts({ ...record, pins }, texts, this.#parts.config().maxTextBytes);
  }

  /** A store that has lost its entries must not make what is known new. */
  #merged(server: string, kept: PinRecord): Promise<PinRecord> {
    const known = this.#records.get(server) ?? NO_RECORD;
    // What is not written yet is not known: of two first sights, that which was written first holds.
    const firsts = (this.#steps.get(server) ?? []).filter(({ text }) => text !== '');
    const pins = mergedPins(known, kept, new Set(firsts.map(({ key }) => key)));
    const newest = (pin: Pin | undefined) => pin?.accepted[0]?.[0];
    const lost = [...pins].filter(([key, pin]) => newest(pin) !== newest(kept.pins.get(key)));
    const former = lost.length === 0 ? new Map<string, string>() : this.#textsIn(known);
    const texts = lost.map(([key]) => [key, former.get(key) ?? ''] as const);
    const found = new Map(texts.filter(([, text]) => text !== ''));
    return withTexts({ ...kept, pins }, found, this.#parts.config().maxTextBytes);
  }
  #adopt(server: string, { pins: read, packed }: PinRecord): void {
    for (const [key, { as }] of this.#records.get(server)?.pins ?? [])
      if (this.#holders.get(nameIn(key, as))?.server === server) this.#holders.delete(nameIn(key, as));
    const pins = new Map(read);
    // What was seen while it was read or written is written next.
    for (const step of this.#steps.get(server) ?? []) {
      const next = stepped(pins.get(step.key), step);
      if (next !== undefined) pins.set(step.key, next);
    }
    this.#records.set(server, { pins, packed });
    for (const [key, { as }] of pins) this.#holders.set(nameIn(key, as), { server, key });
  }
  #textsIn(record: PinRecord): ReadonlyMap<string, string> {
    const known = this.#unpacked.get(record)?.deref();
    if (known !== undefined) return known;
    const texts = textsIn(record);
    this.#unpacked.set(record, new WeakRef(texts));
    return texts;
  }
  #pinOf(server: string, key: string): Pin | undefined {
    return this.#records.get(server)?.pins.get(key);
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
function nameIn(key: string, as: string): string {
  return `${key.slice(0, key.indexOf(' '))} ${as}`;
}
