import { pagesOf } from '../../../plugins/admin/pagesOf.ts';

/** All pages and actions of the admin pages, as `GET /mcps/:name`. */
export function routesOf(): { readonly pages: readonly string[]; readonly actions: readonly string[] } {
  const { pages, actions } = pagesOf({} as Parameters<typeof pagesOf>[0]);
  return {
    pages: pages.map(({ path }) => `GET ${path}`),
    actions: actions.map(({ method, path }) => `${method} ${path}`),
  };
}
