import { isDeepStrictEqual } from 'node:util';
import type { CallerCredential } from '../../contracts/credentials.ts';
import type { InstanceMode } from '../definition.ts';
import type { Dialing } from '../connection/dialer.ts';
import type { ServerCalls } from '../connection/serverCalls.ts';
import type { WarmWire } from './warm/warmWire.ts';

export interface OwnEntry {
  readonly key: string;
  readonly mode: InstanceMode;
  readonly connection: ServerCalls;
  readonly dialer: Dialing;
  /** The process that was started for it ahead. */
  readonly warm: WarmWire | undefined;
  /** Who is counted for it. */
  readonly owner: string;
  /** Id of the session that one with a credential belongs to besides; undefined for all others. */
  readonly sessionId: string | undefined;
  /** The object that gives its connection headers. */
  readonly credential: CallerCredential | undefined;
  /** Values of `${caller:NAME}`, by NAME, as its connection was begun with. */
  readonly values: Readonly<Record<string, string>> | undefined;
  usedAt: number;
}

/** The own connections of one server, by key and by owner: with a credential, one server may have tens of thousands. */
export class OwnConnectionTable {
  readonly #byKey = new Map<string, OwnEntry>();
  readonly #byOwner = new Map<string, Set<OwnEntry>>();

  get size(): number {
    return this.#byKey.size;
  }
  get(key: string): OwnEntry | undefined {
    return this.#byKey.get(key);
  }
  /** All at the time of the call: they may be removed meanwhile. */
  all(): readonly OwnEntry[] {
    return [...this.#byKey.values()];
  }
  of(owner: string): readonly OwnEntry[] {
    return [...(this.#byOwner.get(owner) ?? [])];
  }

  /** Its key must be free. */
  add(instance: OwnEntry): void {
    const { key, owner } = instance;
    this.#byKey.set(key, instance);
    this.#byOwner.set(owner, (this.#byOwner.get(owner) ?? new Set()).add(instance));
  }

  /** @returns the one that had the key */
  remove(key: string): OwnEntry | undefined {
    const instance = this.#byKey.get(key);
    if (instance === undefined) return undefined;
    this.#byKey.delete(key);
    const own = this.#byOwner.get(instance.owner);
    own?.delete(instance);
    if (own?.size === 0) this.#byOwner.delete(instance.owner);
    return instance;
  }
}

/** Headers and environment are filled when a connection begins, and its credential may not be the one in force any more: its owner
 *  was forgotten for others, or the plugin that signs callers in was loaded again. */
export function isForOther(instance: OwnEntry | undefined, credential: CallerCredential): boolean {
  if (instance === undefined) return false;
  return instance.credential !== credential || !isDeepStrictEqual(instance.values, credential.values);
}

/** Whether it belongs to a caller with a credential, but to no session, though each session has one: it reads the lists. */
export function isForLists({
  mode,
  credential,
  sessionId,
}: Pick<OwnEntry, 'mode' | 'credential' | 'sessionId'>): boolean {
  return mode === 'perSession' && credential !== undefined && sessionId === undefined;
}
