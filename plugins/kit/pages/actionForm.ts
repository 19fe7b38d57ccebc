import { html } from '../http/page.ts';
import type { Html } from '../http/page.ts';
import type { AdminVisit } from '../../contracts/adminPages.ts';

export interface FormParts {
  /** Path of the action. */
  readonly action: string;
  /** The words on its button. */
  readonly label: string;
  /** What a screen reader says besides: which server, which call. */
  readonly about?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** Whether it is what the page is for. */
  readonly isMain?: boolean;
  /** What it costs: it then takes a second click, also without JavaScript. */
  readonly warning?: string;
}

/** What a form needs of a visit; `lacks` is absent where everyone may send it. */
export type FormVisit = Pick<AdminVisit, 'token'> & Partial<Pick<AdminVisit, 'lacks'>>;

/** A button that does something; nothing for a person whom that would be refused. */
export function actionForm({ token, lacks }: FormVisit, parts: FormParts): Html {
  if (lacks?.(parts.action) !== undefined) return html``;
  const { action, label, about, fields = {}, isMain = false, warning } = parts;
  const hidden = Object.entries({ token, ...fields }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  const spoken = about === undefined ? undefined : html`<span class="spoken"> ${about}</span>`;
  const form = (words: string, look: string): Html =>
    html`<form method="post" action="${action}">
      ${hidden}<button class="${look}">${words}${spoken}</button>
    </form>`;
  if (warning === undefined) return form(label, isMain ? 'strong' : 'plain');
  return html`<details class="confirm" data-keep="${action}">
    <summary class="button">${`${label}…`}${spoken}</summary>
    <div class="ask">
      <p>${warning}</p>
      ${form(label, 'grave')}
    </div>
  </details>`;
}
