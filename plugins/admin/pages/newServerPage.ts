import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { FIELDS, sentIn } from '../data/newServer.ts';
import type { Field, NewServer } from '../data/newServer.ts';
import { definePage } from '../web/definePage.ts';
import type { Page, Visit } from '../web/definePage.ts';
import { option } from '../../kit/pages/filterForm.ts';
import { notOffered } from '../web/wayOut.ts';
import { section } from '../../kit/pages/parts.ts';
import { shown } from '../../kit/pages/words.ts';

export const TITLE = 'Add a server';

/** `/mcps/new`: a server to add, from whatever text describes it. */
export function newServerPage(): Page {
  return definePage<{ readonly fields: readonly Field[] }>({
    path: '/mcps/new',
    facts: () => ({ fields: FIELDS }),
    show: (_, visit) => {
      const empty = { sent: sentIn(new URLSearchParams()), faults: new Map() };
      return {
        title: TITLE,
        body: section('What to add', notOffered(visit, '/mcps') ?? newServerForm(empty, visit)),
      };
    },
  });
}

interface Described {
  readonly label: string;
  readonly hint: string;
  readonly rows?: number;
}

const DESCRIBED: Readonly<Record<Field, Described>> = {
  text: {
    label: 'Command, URL, or any text that describes it',
    hint: 'npx -y …, docker run …, claude mcp add …, https://…, a package, an install link, a mcpServers entry, or a server.json. It may hold secrets: they go into files that only the user of Pegboard can read.',
    rows: 5,
  },
  name: { label: 'Name', hint: 'Proposed if it is left empty.' },
  env: { label: 'Variables of the command (--env)', hint: 'One a line: NAME=value.', rows: 2 },
  headers: { label: 'Headers for the URL (--header)', hint: 'One a line: Name: value.', rows: 2 },
  values: {
    label: 'Values that a server.json or a bundle asks for (--set)',
    hint: 'One a line: name=value.',
    rows: 2,
  },
  transport: { label: 'Transport of the URL', hint: 'Found out by asking the URL if it is left open.' },
  description: { label: 'Description', hint: 'What the server is for.' },
};
const MORE: readonly Field[] = ['env', 'headers', 'values', 'transport', 'description'];

/** The form with what was sent, and what is wrong at its fields. */
export function newServerForm(all: NewServer, { token }: Pick<Visit, 'token'>): Html {
  const { sent, faults, planned } = all;
  const isOpen = MORE.some((field) => sent[field] !== '' || faults.has(field));
  const more = html`<summary>Variables, headers, and more</summary>
    <div class="arguments">${MORE.map((field) => fieldOf(field, all))}</div>`;
  return html`<form method="post" action="/mcps/new" class="arguments" autocomplete="off">
    <input type="hidden" name="token" value="${token}" />
    ${fieldOf('text', all)} ${fieldOf('name', all)}
    ${isOpen ? html`<details open>${more}</details>` : html`<details>${more}</details>`}
    <div class="row">
      <button class="${planned === undefined ? 'strong' : 'plain'}">Preview</button>
      <a class="button" href="/mcps">Cancel</a>
    </div>
  </form>`;
}

function fieldOf(field: Field, { sent, faults }: NewServer): Html {
  const { label, hint } = DESCRIBED[field];
  const fault = faults.get(field);
  return html`<div class="field">
    <label for="new-${field}">${label}</label>
    <p class="hint" id="new-${field}-hint">${hint}</p>
    ${control(field, sent[field], fault !== undefined)}
    ${fault === undefined ? undefined : html`<p class="wrong words" id="new-${field}-fault">${block(fault)}</p>`}
  </div>`;
}

/** A fault may list what is missing, a line each. */
function block(fault: string): readonly Html[] {
  return fault.split('\n').map((line) => html`${shown(line, 2_000)}${'\n'}`);
}

function control(field: Field, value: string, isFaulty: boolean): Html {
  const { rows } = DESCRIBED[field];
  const about = isFaulty ? `new-${field}-hint new-${field}-fault` : `new-${field}-hint`;
  const own = html`id="new-${field}" name="${field}" aria-describedby="${about}"
  ${isFaulty ? html`aria-invalid="true"` : undefined}`;
  if (field === 'transport')
    return html`<select ${own}>
      ${option('', 'find out', value === '')}
      ${['streamable-http', 'sse'].map((one) => option(one, one, value === one))}
    </select>`;
  if (rows === undefined) return html`<input ${own} value="${value}" spellcheck="false" />`;
  // Browsers drop the one line break that follows the tag of a textarea.
  return html`<textarea ${own} class="code" rows="${String(rows)}" spellcheck="false">${value}</textarea>`;
}
