import { html } from '../http/page.ts';
import type { Html } from '../http/page.ts';
import type { Excerpt } from './excerpt.ts';
import { count } from './words.ts';

/** Links to the parts of a list before and after this one; undefined if all of it is shown. */
export function pager({ total, from, items }: Excerpt<unknown>, query: URLSearchParams): Html | undefined {
  const next = from + items.length;
  if (from === 0 && next >= total) return undefined;
  const to = (start: number): string => {
    const asked = new URLSearchParams(query);
    asked.set('from', String(start));
    return `?${asked.toString()}`;
  };
  const size = Math.max(items.length, 50);
  return html`<p class="row pager">
    <span>${`${count(from + 1)}–${count(next)}`} of ${count(total)}</span>
    ${from > 0 ? html`<a class="button" href="${to(Math.max(0, from - size))}">Previous</a>` : undefined}
    ${next < total ? html`<a class="button" href="${to(next)}">Next</a>` : undefined}
  </p>`;
}
