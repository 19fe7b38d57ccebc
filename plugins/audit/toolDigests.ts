import type { Tool } from 'pegboard';
import { digestOf } from './digest.ts';

/** Digests of what tools say of themselves, as their servers declared them; each is computed once. */
export class ToolDigests {
  readonly #digestByTool = new WeakMap<Tool, string | null>();

  /** @returns null when it is nested too deeply to be written */
  of(tool: Tool): string | null {
    const known = this.#digestByTool.get(tool);
    if (known !== undefined) return known;
    const { name, description, inputSchema, annotations, declared } = tool;
    const digest = digestOf({ name, description, inputSchema, annotations, declared });
    this.#digestByTool.set(tool, digest);
    return digest;
  }
}
