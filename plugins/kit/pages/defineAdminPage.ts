import type { AdminPage } from '../../contracts/adminPages.ts';

/** Checks the types of a page: what `facts` returns is what `show` gets. */
export function defineAdminPage<F>(definition: AdminPage<F>): AdminPage {
  return definition;
}
