import type { Scope } from 'pegboard';
import { AdminPage } from '../../contracts/adminPages.ts';
import type { Action, Page } from './definePage.ts';
import { matchRoutes } from './matchRoutes.ts';

interface OwnPages {
  readonly pages: readonly Page[];
  readonly actions: readonly Action[];
}

/** The pages that plugins add, beside our own: a path of ours stays ours. */
export class AddedPages {
  readonly #scope: Scope<unknown>;
  readonly #own: OwnPages;

  constructor(scope: Scope<unknown>, own: OwnPages) {
    this.#scope = scope;
    this.#own = own;
  }

  /** Calls `changed` when a page has come or gone; logs a page that cannot be opened. */
  follow(changed: () => void): void {
    this.#scope.each(AdminPage, ({ path }) => {
      const [same] = matchRoutes(this.#own.pages, path);
      if (same !== undefined) {
        const facts = { path, takenBy: same.route.path, fix: 'give the page another path' };
        this.#scope.log.warn('the page of a plugin is not shown: its path is taken', facts);
      }
      changed();
      return changed;
    });
  }

  pages(): readonly Page[] {
    return [...this.#own.pages, ...this.#scope.all(AdminPage)];
  }

  actions(): readonly Action[] {
    return [...this.#own.actions, ...this.#scope.all(AdminPage).flatMap(({ actions = [] }) => actions)];
  }
}
