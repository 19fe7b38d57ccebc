import type { JsonObject } from 'pegboard';
import type { VersionsOf } from '../contracts/pins.ts';
import { fingerprint } from './fingerprint.ts';
import type { PinKind } from './fingerprint.ts';
import type { Judgement } from './judgedTool.ts';
import type { Sight } from './pinBook.ts';
import { pinKey } from './pinRecord.ts';

/** Versions of one declaration that are kept: each caller of a server may see another one. */
const MAX_VERSIONS = 32;

/** A declaration that was not as accepted when it was judged. */
export interface Pending {
  readonly judgement: Judgement;
  readonly isMerged: boolean;
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
  readonly #byServer = new Map<string, Map<string, Map<string, Pending>>>();
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
    const byKey = this.#byServer.get(server) ?? new Map<string, Map<string, Pending>>();
    const key = pinKey(kind, own);
    const versions = byKey.get(key) ?? new Map<string, Pending>();
    const isNew = !versions.has(hash);
    // Those that were found first stay: a flood of versions must not hide them.
    if (isNew && versions.size >= MAX_VERSIONS) this.#prune(server);
    if (isNew && versions.size >= MAX_VERSIONS) return false;
    this.#byServer.set(server, byKey.set(key, versions.set(hash, pending)));
    return isNew;
  }
  forget(server: string): void {
    this.#byServer.delete(server);
  }

  /** Those of a server that it still declares, and that still are not as accepted. */
  of(server: string): readonly Judgement[] {
    this.#prune(server);
    return this.#all(server).map(({ judgement }) => judgement);
  }
  /** Those of a server, whether or not it still declares them. */
  seenOf(server: string): readonly Judgement[] {
    return this.#all(server).map(({ judgement }) => judgement);
  }

  #all(server: string): readonly Pending[] {
    return [...(this.#byServer.get(server)?.values() ?? [])].flatMap((versions) => [...versions.values()]);
  }
  #prune(server: string): void {
    const versionsOf = this.#parts.versionsOf(server);
    const byKey = this.#byServer.get(server);
    for (const [key, versions] of byKey ?? []) {
      const [first] = versions.values();
      if (first === undefined) continue;
      const { kind, as } = first.judgement.matter;
      const now = versionsOf && new Set(versionsOf(kind, as).map((declared) => this.#hashOf(kind, declared)));
      for (const [hash, { judgement, isMerged }] of versions) {
        const isDeclared = now?.has(hash) !== false;
        const next = isDeclared ? this.#parts.judge(judgement.matter, isMerged) : undefined;
        if (next === undefined) versions.delete(hash);
        else versions.set(hash, { judgement: next, isMerged });
      }
      if (versions.size === 0) byKey?.delete(key);
    }
    if (byKey?.size === 0) this.#byServer.delete(server);
  }
  #hashOf(kind: PinKind, declared: JsonObject): string {
    const hash = this.#hashes.get(declared) ?? fingerprint(kind, declared);
    this.#hashes.set(declared, hash);
    return hash;
  }
}
