import type { JsonObject } from 'pegboard';
import type { VersionsOf } from '../contracts/pins.ts';
import { fingerprint } from './fingerprint.ts';
import type { PinKind } from './fingerprint.ts';
import type { Judgement } from './judgedTool.ts';
import type { Sight } from './sight.ts';
import { pinKey } from './pinRecord.ts';

/** Versions of one declaration that are kept: each caller of a server may see another one. */
const MAX_VERSIONS = 32;
/** Versions beyond which those that the server no longer declares are forgotten. */
const MAX_GONE = 4;

/** A declaration that was not as accepted when it was judged. */
export interface Pending {
  readonly judgement: Judgement;
  readonly isMerged: boolean;
}
/** Its server may declare it again, and the tool is judged once: it is kept while it is gone. */
interface Kept extends Pending {
  readonly isGone: boolean;
}
interface PendingsParts {
  /** What the server declares now; undefined if that is not known. */
  readonly versionsOf: (server: string) => VersionsOf | undefined;
  /** Judges it again. */
  readonly judge: (sight: Sight, isMerged: boolean) => Judgement | undefined;
}

/** What is not as accepted, by server, declaration and version: callers of one server may see different versions. */
export class Pendings {
  readonly #parts: PendingsParts;
  readonly #byServer = new Map<string, Map<string, Map<string, Kept>>>();
  readonly #hashes = new WeakMap<JsonObject, string>();

  constructor(parts: PendingsParts) {
    this.#parts = parts;
  }

  get servers(): readonly string[] {
    return [...this.#byServer.keys()];
  }
  /** @returns whether it is one more */
  add(pending: Pending): boolean {
    const { server, kind, own, hash } = pending.judgement.matter;
    const byKey = this.#byServer.get(server) ?? new Map<string, Map<string, Kept>>();
    const key = pinKey(kind, own);
    const versions = byKey.get(key) ?? new Map<string, Kept>();
    const isNew = versions.get(hash)?.isGone !== false;
    if (isNew && versions.size >= MAX_GONE) {
      // At this one only: a server that changes all its tools must not have all looked at for each.
      this.#lookAt(versions, this.#parts.versionsOf(server));
      for (const [one, { isGone }] of versions) if (isGone) versions.delete(one);
    }
    // Those that were found first stay: a flood of versions must not hide them.
    if (isNew && versions.size >= MAX_VERSIONS) return false;
    this.#byServer.set(server, byKey.set(key, versions.set(hash, { ...pending, isGone: false })));
    return isNew;
  }
  forget(server: string): void {
    this.#byServer.delete(server);
  }

  /** Those of a server that it still declares, and that still are not as accepted. */
  of(server: string): readonly Judgement[] {
    this.#look(server);
    const here = this.#all(server).filter(({ isGone }) => !isGone);
    return here.map(({ judgement }) => judgement);
  }
  /** Those of a server, whether or not it still declares them. */
  seenOf(server: string): readonly Judgement[] {
    return this.#all(server).map(({ judgement }) => judgement);
  }

  #all(server: string): readonly Kept[] {
    return [...(this.#byServer.get(server)?.values() ?? [])].flatMap((versions) => [...versions.values()]);
  }
  #look(server: string): void {
    const versionsOf = this.#parts.versionsOf(server);
    const byKey = this.#byServer.get(server);
    for (const [key, versions] of byKey ?? []) {
      this.#lookAt(versions, versionsOf);
      if (versions.size === 0) byKey?.delete(key);
    }
    if (byKey?.size === 0) this.#byServer.delete(server);
  }
  #lookAt(versions: Map<string, Kept>, versionsOf: VersionsOf | undefined): void {
    const [first] = versions.values();
    if (first === undefined) return;
    const { kind, as } = first.judgement.matter;
    const now = versionsOf && new Set(versionsOf(kind, as).map((declared) => this.#hashOf(kind, declared)));
    for (const [hash, { judgement, isMerged }] of versions) {
      const next = this.#parts.judge(judgement.matter, isMerged);
      if (next === undefined) versions.delete(hash);
      else versions.set(hash, { judgement: next, isMerged, isGone: now?.has(hash) === false });
    }
  }
  #hashOf(kind: PinKind, declared: JsonObject): string {
    const hash = this.#hashes.get(declared) ?? fingerprint(kind, declared);
    this.#hashes.set(declared, hash);
    return hash;
  }
}
