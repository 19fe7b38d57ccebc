import type { Reply } from 'pegboard';
import { html, page } from '../../kit/http/page.ts';

/** A page with a link to the address of an application (`cursor://…`). */
export function linkPage(address: string): Reply {
  return page(
    'Signed in',
    html`<p>Return to your application to continue.</p>
      <p><a class="button" href="${address}">Open the application</a></p>`,
    { head: html`<meta http-equiv="refresh" content="0;url=${address}" />` },
  );
}
