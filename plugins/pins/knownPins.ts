import { NO_RECORD, stepped } from './pinRecord.ts';
import type { Pin, PinRecord } from './pinRecord.ts';
import type { Turns } from '../kit/limits/turns.ts';
import { unpacked } from './pinTexts.ts';
import type { Pack, PinTexts } from './pinTexts.ts';
import type { UnwrittenSteps } from './unwrittenSteps.ts';

/** What is accepted of one server, as far as this process has read or written it. */
export interface Known extends PinRecord {
  readonly pins: Map<string, Pin>;
  texts: PinTexts;
  /** The id of what the vault had when it was read or written last; all of that is here. */
  id?: string | undefined;
}
/** A server and the key of one of its pins. */
export interface Holder {
  readonly server: string;
  readonly key: string;
}

/** What is accepted of all servers, and who has which name. */
export class KnownPins {
  readonly #turns: Turns;
  readonly #records = new Map<string, Known>();
  /** The server that had a name when it was accepted, by that name. */
  readonly #holders = new Map<string, Holder>();
  /** Texts that were unpacked, while memory allows: each of thousands of held tools looks up its own. */
  readonly #unpacked = new WeakMap<Pack, WeakRef<ReadonlyMap<string, string>>>();

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  get servers(): readonly string[] {
    return [...this.#records.keys()];
  }
  of(server: string): Known | undefined {
    return this.#records.get(server);
  }
  /** @returns that of the server; an empty one, which is kept, if there is none */
  begun(server: string): Known {
    const known = this.of(server) ?? { pins: new Map<string, Pin>(), texts: NO_RECORD.texts };
    this.#records.set(server, known);
    return known;
  }
  holderOf(key: string, as: string): Holder | undefined {
    return this.#holders.get(nameIn(key, as));
  }

  /** Changes the pin in place: thousands of tools are seen at once. */
  set(server: string, key: string, pin: Pin, { pins } = this.begun(server)): void {
    const before = pins.get(key);
    pins.set(key, pin);
    if (before?.as === pin.as) return;
    if (before !== undefined) this.#giveUp(server, nameIn(key, before.as));
    this.#holders.set(nameIn(key, pin.as), { server, key });
  }
  /** Takes what the vault has, pin by pin. @param known what was here when that was read
   *  @param unwritten what was seen meanwhile, which is written next */
  async adopt(
    server: string,
    known: Known,
    { pins, texts, id }: PinRecord & { readonly id: string | undefined },
    unwritten: UnwrittenSteps,
  ): Promise<void> {
    known.texts = texts;
    for (const [key, read] of pins) {
      if (this.#turns.isDue) await this.#turns.next();
      // The definition was removed meanwhile.
      if (this.of(server) !== known) return;
      if (known.pins.get(key) === read) continue;
      const pin = unwritten.of(server, key).reduce((one, step) => stepped(one, step) ?? one, read);
      this.set(server, key, pin, known);
    }
    known.id = id;
  }

  async forget(server: string): Promise<void> {
    const pins = this.of(server)?.pins ?? NO_RECORD.pins;
    this.#records.delete(server);
    for (const [key, { as }] of pins) this.#giveUp(server, nameIn(key, as));
    // What two servers had in turn is that of the other one now.
    for (const [other, record] of this.#records)
      for (const [key, { as }] of record.pins) {
        if (this.#turns.isDue) await this.#turns.next();
        const name = nameIn(key, as);
        if (!this.#holders.has(name) && this.of(other) === record)
          this.#holders.set(name, { server: other, key });
      }
  }
  #giveUp(server: string, name: string): void {
    if (this.#holders.get(name)?.server === server) this.#holders.delete(name);
  }

  textIn({ texts: { packs, places } }: PinRecord, key: string): string | undefined {
    const pack = packs[places.get(key) ?? -1];
    if (pack === undefined) return undefined;
    const known = this.#unpacked.get(pack)?.deref() ?? unpacked(pack);
    this.#unpacked.set(pack, new WeakRef(known));
    return known.get(key);
  }
}

function nameIn(key: string, as: string): string {
  return `${key.slice(0, key.indexOf(' '))} ${as}`;
}
