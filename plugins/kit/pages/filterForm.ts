import { html } from '../http/page.ts';
import type { Html } from '../http/page.ts';
import { shown } from './words.ts';

export interface FilterField {
  /** Name of the query parameter. */
  readonly name: string;
  readonly label: string;
  /** What may be typed. */
  readonly example?: string;
  /** Suggestions for what is typed. */
  readonly known?: readonly string[];
  /** Values and their words: a choice instead of a text. The first one is the choice of a page without a query. */
  readonly choices?: readonly (readonly [value: string, words: string])[];
}

/** Fields that narrow a list, as a form whose fields are the query of the page. */
export function filterForm(fields: readonly FilterField[], query: URLSearchParams, label = 'Show'): Html {
  return html`<form method="get" role="search" class="filters">
    ${fields.map((field) => html`<div><label for="by-${field.name}">${field.label}</label>${control(field, asked(query, field.name))}</div>`)}
    <div class="row">
      <button class="strong">${label}</button>
      ${isNarrowed(fields, query) ? html`<a class="button" href="?">Reset</a>` : undefined}
    </div>
  </form>`;
}

/** Names as the choices of a field, `all` first. @param chosen is one of them, also where it is not known any more */
export function choicesOf(names: readonly string[], chosen: string): readonly (readonly [string, string])[] {
  const all = [...new Set([...names, ...(chosen === '' ? [] : [chosen])])];
  return [['', 'all'], ...all.map((name) => [name, shown(name, 60)] as const)];
}

/** A value of the query without spaces around it; empty if it is absent. */
export function asked(query: URLSearchParams, name: string): string {
  return query.get(name)?.trim() ?? '';
}

function isNarrowed(fields: readonly FilterField[], query: URLSearchParams): boolean {
  return fields.some(({ name }) => asked(query, name) !== '');
}

function control(field: FilterField, value: string): Html {
  const { name, choices } = field;
  if (choices === undefined) return textInput(`by-${name}`, field, value);
  return html`<select id="by-${name}" name="${name}">
    ${choices.map(([of, words]) => option(of, words, of === value))}
  </select>`;
}

/** A text, with suggestions where there are some. */
export function textInput(
  id: string,
  { name, example = '', known = [] }: Pick<FilterField, 'name' | 'example' | 'known'>,
  value: string,
): Html {
  const list =
    known.length === 0
      ? undefined
      : html`<datalist id="known-${name}">
          ${known.map((one) => html`<option value="${one}"></option>`)}
        </datalist>`;
  return html`<input
      id="${id}"
      name="${name}"
      value="${value}"
      placeholder="${example}"
      list="known-${name}"
      autocomplete="off"
      spellcheck="false"
    />${list}`;
}

/** A choice of a select. */
export function option(value: string, words: string, isChosen: boolean): Html {
  return isChosen
    ? html`<option value="${value}" selected>${words}</option>`
    : html`<option value="${value}">${words}</option>`;
}
