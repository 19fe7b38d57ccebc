import { html } from '../http/page.ts';
import type { Html } from '../http/page.ts';
import { shown } from './words.ts';

export type TableCell = string | Html | undefined;

/** A table that scrolls on its own where the screen is narrow.
 *  @param caption what it lists, for screen readers @param empty what to say instead of a table without rows */
export function table(
  { caption, empty }: { readonly caption: string; readonly empty: string },
  heads: readonly string[],
  rows: readonly (readonly TableCell[])[],
): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head === '' ? html`<span class="spoken">Actions</span>` : head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell, at) => cellOf(heads[at] ?? '', cell))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** @param head empty: its cells have buttons */
function cellOf(head: string, cell: TableCell): Html {
  if (head === '') return html`<td class="acts">${cell}</td>`;
  return html`<td data-label="${head}"><div>${cell ?? '–'}</div></td>`;
}

/** Names and values; those without a value are left out. */
export function facts(entries: readonly (readonly [string, TableCell])[]): Html {
  const known = entries.filter(([, value]) => value !== undefined && value !== '');
  return html`<dl>
    ${known.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

export function hyperlink(href: string, text: string): Html {
  return html`<a href="${href}">${shown(text)}</a>`;
}

const GOOD = new Set([
  'running',
  'ready',
  'connected',
  'completed',
  'available',
  'healthy',
  'ok',
  'allowed',
  'applied',
  'valid',
]);
const BAD = new Set(['failed', 'unreachable', 'unhealthy', 'error', 'refused', 'lost', 'unavailable']);
const CARE = new Set([
  'auth_required',
  'starting',
  'stopping',
  'expiring',
  'asked',
  'reauth_required',
  'cancelled',
  'warning',
]);

/** The class that gives a state its colour. */
export function toneOf(state: string): string {
  return GOOD.has(state) ? 'good' : BAD.has(state) ? 'bad' : CARE.has(state) ? 'care' : 'calm';
}

/** A state as a word with a colour; never the colour alone. */
export function badge(state: string): Html {
  return html`<span class="badge ${toneOf(state)}">${shown(state.replaceAll('_', ' '), 40)}</span>`;
}

/** A part of a page with a heading. @param note beside the heading @param id where a link leads */
export function section(title: string, body: Html | readonly Html[], note?: TableCell, id = ''): Html {
  return html`<section ${id === '' ? undefined : html`id="${id}"`}>
    <div class="head">
      <h2>${title}</h2>
      ${note === undefined ? undefined : html`<div class="note">${note}</div>`}
    </div>
    ${body}
  </section>`;
}

/** Text of others that scrolls on its own. @param label for screen readers */
export function output(label: string, text: string): Html {
  // A line break after the tag is not part of the text.
  return html`<pre tabindex="0" role="region" aria-label="${label}">${'\n'}${text}</pre>`;
}
