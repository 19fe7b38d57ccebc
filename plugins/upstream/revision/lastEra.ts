import { isObject } from 'pegboard';
import type { Era } from '../definition.ts';
import { isDeclared } from './declared.ts';
import type { Declared } from './declared.ts';

/** After that time, a server is asked again which era it speaks best. */
const KNOWN_MS = 86_400_000;

export interface KnownEra {
  readonly era: Era;
  /** How much initialize may declare. */
  readonly declared: Declared;
  /** ms since the epoch */
  readonly since: number;
}

/** @param value what a file has */
export function readKnownEra(value: unknown): KnownEra | undefined {
  if (!isObject(value)) return undefined;
  const { era, declared = 'modes', since } = value;
  if ((era !== 'legacy' && era !== 'modern') || typeof since !== 'number') return undefined;
  return isDeclared(declared) ? { era, declared, since } : undefined;
}

/** The era in which a server was last connected, and how, shared by all its connections. */
export class LastEra {
  #known: KnownEra | undefined;

  /** Undefined: not known, or for too long. */
  get known(): KnownEra | undefined {
    const age = Date.now() - (this.#known?.since ?? -Infinity);
    const isRecent = age >= 0 && age < KNOWN_MS;
    return isRecent ? this.#known : undefined;
  }

  /** Sets what an earlier process has stored. */
  remember(known: KnownEra | undefined): void {
    this.#known ??= known;
  }

  forget(): void {
    this.#known = undefined;
  }

  set(era: Era, declared: Declared): void {
    if (this.known?.era !== era || this.known.declared !== declared)
      this.#known = { era, declared, since: Date.now() };
  }
}
