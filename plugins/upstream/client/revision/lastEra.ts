import { isObject } from 'pegboard';
import type { Era, RemoteTransport } from '../options.ts';
import { isDeclared } from './declared.ts';
import type { Declared } from './declared.ts';

/** After that time, a server is asked again which era it speaks best. */
const KNOWN_MS = 86_400_000;

export interface KnownEra {
  readonly era: Era;
  /** How much initialize may declare. */
  readonly declared: Declared;
  /** Whether it speaks the modern era, too, while it keeps sessions in the legacy one. */
  readonly isDual: boolean;
  /** ms since the epoch */
  readonly since: number;
}

/** @param value what a file has */
export function readKnownEra(value: unknown): KnownEra | undefined {
  if (!isObject(value)) return undefined;
  const { era, declared, isDual, since } = value;
  if ((era !== 'legacy' && era !== 'modern') || typeof since !== 'number') return undefined;
  // A file of an older Pegboard has neither: the server is asked again.
  return isDeclared(declared) && typeof isDual === 'boolean' ? { era, declared, isDual, since } : undefined;
}

/** The era in which calls have needed to be sent, by method and name. */
export type AskEras = Readonly<Record<string, Era>>;
/** Far more than tools that ask: each has its line in a file. */
const MAX_ASK_ERAS = 200;

/** @param value what a file has */
export function readAskEras(value: unknown): AskEras {
  const eras = isObject(value) ? Object.entries(value) : [];
  const known = eras.filter((pair): pair is [string, Era] => pair[1] === 'legacy' || pair[1] === 'modern');
  return Object.fromEntries(known.slice(-MAX_ASK_ERAS));
}

/** The era in which a server was last connected, and how, shared by all its connections. */
export class LastEra {
  /** What answered at the url of a definition with type auto; undefined if that is not known. */
  transport: RemoteTransport | undefined;
  #known: KnownEra | undefined;
  #askEras: AskEras = {};

  /** Undefined: not known, or for too long. */
  get known(): KnownEra | undefined {
    const age = Date.now() - (this.#known?.since ?? -Infinity);
    const isRecent = age >= 0 && age < KNOWN_MS;
    return isRecent ? this.#known : undefined;
  }

  /** Another object whenever it has changed. */
  get askEras(): AskEras {
    return this.#askEras;
  }
  /** @param call method and name of a request during which the server may ask */
  asks(call: string): Era | undefined {
    return Object.hasOwn(this.#askEras, call) ? this.#askEras[call] : undefined;
  }
  setAsks(call: string, era: Era): void {
    this.#askEras = readAskEras({ ...this.#askEras, [call]: era });
  }

  /** Sets what an earlier process has stored. */
  remember(known: KnownEra | undefined, askEras: AskEras, transport?: RemoteTransport): void {
    this.transport ??= transport;
    this.#known ??= known;
    this.#askEras = { ...askEras, ...this.#askEras };
  }

  /** The server may be another one now; what its tools need stays. */
  forget(): void {
    this.#known = undefined;
  }
  /** It is another one. */
  reset(): void {
    this.forget();
    this.transport = undefined;
    this.#askEras = {};
  }

  set({ era, declared, isDual }: Omit<KnownEra, 'since'>): void {
    const { known } = this;
    const isSame = known?.era === era && known.declared === declared && known.isDual === isDual;
    if (!isSame) this.#known = { era, declared, isDual, since: Date.now() };
  }
}
