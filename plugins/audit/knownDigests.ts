import type { Tool } from 'pegboard';
import { recentlyUsed } from '../kit/limits/recentlyUsed.ts';
import { digestOf, sha256 } from './digest.ts';

const MAX_SESSIONS = 1_000;

/** Digests that many lines share; each is computed once. */
export class KnownDigests {
  readonly #byTool = new WeakMap<Tool, string | null>();
  readonly #bySession = recentlyUsed<string>(MAX_SESSIONS);

  /** The digest of a tool's declaration. @returns null if it is nested too deeply to be serialized */
  ofTool(tool: Tool): string | null {
    const known = this.#byTool.get(tool);
    if (known !== undefined) return known;
    const { name, description, inputSchema, annotations, declared } = tool;
    const digest = digestOf({ name, description, inputSchema, annotations, declared });
    this.#byTool.set(tool, digest);
    return digest;
  }

  ofSession(id: string): string {
    const known = this.#bySession.get(id);
    if (known !== undefined) return known;
    const digest = sha256(id);
    this.#bySession.set(id, digest);
    return digest;
  }
}
