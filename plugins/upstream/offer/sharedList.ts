import type { Tool } from 'pegboard';
import type { Differences } from './differences.ts';
import type { View } from './group.ts';

type Winner = (name: string) => Tool | undefined;

/** The tools of requests without own lists: where a change has only put tools in the place of others, so does the next list. */
export class SharedList {
  #list: readonly Tool[] | undefined;
  readonly #differences: Differences;
  /** Names that have another tool since. */
  #changed: string[] = [];

  constructor(differences: Differences) {
    this.#differences = differences;
  }

  /** What a group offers has changed. */
  replaced({ entries: { tools: before } }: View, { entries: { tools: next } }: View): void {
    for (const server of new Set([...before.keys(), ...next.keys()])) {
      const { added, removed, replaced } = this.#differences.of(before.get(server), next.get(server));
      if (added.length + removed.length > 0) this.#list = undefined;
      else if (this.#list !== undefined) this.#changed = [...this.#changed, ...replaced];
    }
    if (this.#changed.length > (this.#list?.length ?? 0)) this.#list = undefined;
  }

  /** The list, if it has only to be mended. @param winner the tool that has a name now */
  mended(winner: Winner): readonly Tool[] | undefined {
    if (this.#list === undefined) return undefined;
    const list = [...this.#list];
    for (const name of this.#changed) {
      const [at, tool] = [placeIn(list, name), winner(name)];
      if (tool === undefined || list[at]?.name !== name) return undefined;
      list[at] = tool;
    }
    this.keep(list);
    return list;
  }
  keep(list: readonly Tool[]): void {
    this.#list = list;
    this.#changed = [];
  }
}

/** Where the name is in a list that is in order of names, or would be. */
function placeIn(list: readonly Tool[], name: string): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle]?.name ?? '') < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
