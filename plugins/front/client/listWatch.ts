import { ANYONE } from 'pegboard';
import type { Scope } from 'pegboard';
import type { FrontConfig } from '../config.ts';
import { createLists } from './createLists.ts';
import type { Lists } from './createLists.ts';

export const LISTS = ['tools', 'resources', 'prompts'] as const;
export type ListName = (typeof LISTS)[number];

/** Reports when one of the three lists differs from before. Most catalogue changes do not concern clients, whose tools are
 *  the constant meta-tools. */
export class ListWatch {
  readonly #scope: Scope<FrontConfig>;
  readonly #lists: Lists;
  readonly #followers = new Set<(list: ListName) => void>();
  #known: Readonly<Record<ListName, string>> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(scope: Scope<FrontConfig>) {
    this.#scope = scope;
    this.#lists = createLists(scope);
  }

  /** @returns the function that unsubscribes */
  follow(changed: (list: ListName) => void): () => void {
    this.#known ??= this.#read();
    const follower = (list: ListName): void => changed(list);
    this.#followers.add(follower);
    return () => {
      this.#followers.delete(follower);
      if (this.#followers.size === 0) this.#known = undefined;
    };
  }

  /** Something may have changed; followers are notified once per `listChangedMs`. */
  noticeChange(): void {
    if (this.#followers.size === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#compare(), this.#scope.config.listChangedMs);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #compare(): void {
    this.#timer = undefined;
    const now = this.#read();
    const changed = LISTS.filter((list) => this.#known?.[list] !== now[list]);
    this.#known = now;
    for (const list of changed) for (const follower of this.#followers) follower(list);
  }

  #read(): Readonly<Record<ListName, string>> {
    const resources = this.#lists.resources(ANYONE) + this.#lists.templates(ANYONE);
    return { tools: this.#lists.tools(ANYONE), resources, prompts: this.#lists.prompts(ANYONE) };
  }
}
