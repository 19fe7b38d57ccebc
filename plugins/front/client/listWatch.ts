import { ANYONE } from 'pegboard';
import type { EventMap, InboundRequest, Scope } from 'pegboard';
import type { FrontConfig } from '../config.ts';
import { createLists } from './createLists.ts';
import type { Lists } from './createLists.ts';

export const WATCHED_LISTS = ['tools', 'resources', 'prompts'] as const;
export type WatchedList = (typeof WATCHED_LISTS)[number];
/** A change of the resources and prompts that a server lists for one caller. */
export type OwnListsChange = Pick<EventMap['server.ownListsChanged'], 'server' | 'owner' | 'ownerOf'>;
interface OwnChanges {
  readonly ownerOf: OwnListsChange['ownerOf'];
  readonly owners: Set<string>;
}

/** Reports when one of the three lists differs from before. Most catalogue changes do not concern clients, whose tools are
 *  the constant meta-tools. */
export class ListWatch {
  readonly #scope: Scope<FrontConfig>;
  readonly #lists: Lists;
  readonly #followers = new Map<(list: WatchedList) => void, InboundRequest>();
  /** Owners whose resources and prompts have changed, by server: thousands may sign in at once, and each request is compared once. */
  readonly #own = new Map<string, OwnChanges>();
  #known: Readonly<Record<WatchedList, string>> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(scope: Scope<FrontConfig>) {
    this.#scope = scope;
    this.#lists = createLists(scope);
  }

  /** @param request whose lists they are @returns the function that unsubscribes */
  follow(request: InboundRequest, changed: (list: WatchedList) => void): () => void {
    this.#known ??= this.#read();
    const follower = (list: WatchedList): void => changed(list);
    this.#followers.set(follower, request);
    return () => {
      this.#followers.delete(follower);
      if (this.#followers.size === 0) this.#known = undefined;
    };
  }

  /** Something may have changed; followers are notified once per `listChangedMs`.
   *  @param change of one caller's own resources or prompts; absent: what all see may have changed */
  noticeChange(change?: OwnListsChange): void {
    if (this.#followers.size === 0) return;
    if (change !== undefined) this.#noticeOwn(change);
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#compare(), this.#scope.config.listChangedMs);
    this.#timer.unref();
  }

  #noticeOwn({ server, owner, ownerOf }: OwnListsChange): void {
    const { owners } = this.#own.get(server) ?? { owners: new Set<string>() };
    // A server that has the name of a removed one has another function.
    this.#own.set(server, { ownerOf, owners: owners.add(owner) });
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #compare(): void {
    this.#timer = undefined;
    const now = this.#read();
    const changed = WATCHED_LISTS.filter((list) => this.#known?.[list] !== now[list]);
    this.#known = now;
    const own = [...this.#own.values()];
    this.#own.clear();
    for (const [follower, request] of this.#followers) {
      const isOwn = own.some(({ ownerOf, owners }) => owners.has(ownerOf(request) ?? ''));
      for (const list of WATCHED_LISTS)
        if (changed.includes(list) || (isOwn && list !== 'tools')) follower(list);
    }
  }

  #read(): Readonly<Record<WatchedList, string>> {
    const resources = this.#lists.resources(ANYONE) + this.#lists.templates(ANYONE);
    return { tools: this.#lists.tools(ANYONE), resources, prompts: this.#lists.prompts(ANYONE) };
  }
}
