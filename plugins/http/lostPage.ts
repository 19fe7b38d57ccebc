import type { Reply } from 'pegboard';
import { html, page } from '../kit/http/page.ts';
import { securityHeaders } from '../kit/http/securityHeaders.ts';

/** What a person sees in a browser at an address without a route. */
export function lostPage(path: string): Reply {
  const title = path === '/' ? 'This is an MCP gateway' : 'Nothing is at this address';
  const shown = page(
    title,
    html`<p>
        Applications reach it at <code>/mcp</code> of this address; there is nothing to see here in a browser.
      </p>
      <p>To connect an application of yours, type <code>pegboard link</code> in a terminal.</p>`,
    { status: path === '/' ? 200 : 404 },
  );
  return { ...shown, headers: { ...securityHeaders(false), 'cache-control': 'no-store', ...shown.headers } };
}
