import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';

/** What makes the buttons work; without it they are not shown. In two parts for the reason that layout.ts gives. */
export const COPY = html`<script type="module" src="/copy.js"></${'script'}>`;

/** A text to be copied: a field from which it can be selected, with a button. @param about for screen readers */
export function copyField(id: string, about: string, text: string): Html {
  const rows = String(text.split('\n').length);
  // A line break after the tag is not part of the text.
  return html`<div class="copy">
    <label for="${id}" class="spoken">${about}</label>
    <textarea id="${id}" class="code" rows="${rows}" readonly spellcheck="false">${'\n'}${text}</textarea>
    <button type="button" data-copy="${id}">Copy<span class="spoken"> ${about}</span></button>
  </div>`;
}
