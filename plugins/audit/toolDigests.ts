import type { Tool } from 'pegboard';
import { digestOf } from './digest.ts';

/** Digests of tools' declarations; each is computed once. */
export class ToolDigests {
  readonly #digestByTool = new WeakMap<Tool, string | null>();

  /** @returns null if the declaration is nested too deeply to be serialized */
  of(tool: Tool): string | null {
    const known = this.#digestByTool.get(tool);
    if (known !== undefined) return known;
    const { name, description, inputSchema, annotations, declared } = tool;
    const digest = digestOf({ name, description, inputSchema, annotations, declared });
    this.#digestByTool.set(tool, digest);
    return digest;
  }
}
