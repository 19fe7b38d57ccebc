import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { ArgumentField } from '../data/argumentFields.ts';
import { ARGUMENT, MORE } from '../data/readFormArguments.ts';
import { option } from '../../kit/pages/filterForm.ts';
import type { Visit } from './definePage.ts';
import { shown } from '../../kit/pages/words.ts';

export const CONFIRM = 'confirm';

export interface ArgumentFormParts {
  readonly action: string;
  readonly fields: readonly ArgumentField[];
  readonly takesMore: boolean;
  /** Whether the call may change something: it then takes a tick. */
  readonly asksFirst: boolean;
  /** What is wrong with what was sent, by the name of the argument, MORE or CONFIRM. */
  readonly faults: ReadonlyMap<string, string>;
}

/** The arguments of a tool as a form; after a call it shows what was sent. */
export function argumentForm({ token, form }: Pick<Visit, 'token' | 'form'>, parts: ArgumentFormParts): Html {
  const { action, fields, takesMore, asksFirst, faults } = parts;
  const isSent = form.size > 0;
  const more = faults.get(MORE);
  return html`<form method="post" action="${action}" class="arguments" autocomplete="off">
    <input type="hidden" name="token" value="${token}" />
    ${fields.map((field, at) => fieldOf(field, { id: `a${at}`, sent: isSent ? (form.get(ARGUMENT + field.name) ?? '') : undefined, fault: faults.get(field.name) }))}
    ${takesMore ? moreField(form.get(MORE) ?? '', more, fields.length > 0) : undefined}
    ${asksFirst ? confirmField(faults.get(CONFIRM)) : undefined}
    <div class="row"><button class="strong">Call the tool</button></div>
  </form>`;
}

interface FieldState {
  readonly id: string;
  /** Undefined before anything was sent. */
  readonly sent: string | undefined;
  readonly fault: string | undefined;
}

function fieldOf(field: ArgumentField, { id, sent, fault }: FieldState): Html {
  const { name, kind, description, isRequired, preset } = field;
  const word = isRequired ? html`<span class="required">required</span>` : undefined;
  return html`<div class="field">
    <label for="${id}"><code>${shown(name)}</code> ${word} <span class="kind">${KINDS[kind]}</span></label>
    ${description === '' ? undefined : html`<p class="hint" id="${id}h">${shown(description, 600)}</p>`}
    ${control(field, { id, value: sent ?? preset, isFaulty: fault !== undefined })} ${faultOf(id, fault)}
  </div>`;
}

const KINDS: Readonly<Record<ArgumentField['kind'], string>> = {
  text: 'text',
  secret: 'text, not shown again',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  choice: 'one of',
  json: 'JSON',
};

interface ControlState {
  readonly id: string;
  readonly value: string;
  readonly isFaulty: boolean;
}

function control(field: ArgumentField, { id, value, isFaulty }: ControlState): Html {
  const { name, kind, choices, isRequired, description } = field;
  const about = [description === '' ? [] : [`${id}h`], isFaulty ? [`${id}f`] : []].flat().join(' ');
  const own = html`id="${id}" name="${ARGUMENT + name}" aria-describedby="${about}"
  ${isRequired ? html`required` : undefined} ${isFaulty ? html`aria-invalid="true"` : undefined}`;
  const texts = kind === 'boolean' ? ['true', 'false'] : [...choices.keys()];
  if (kind === 'boolean' || kind === 'choice')
    return html`<select ${own}>
      ${option('', isRequired ? 'choose…' : 'not sent', value === '')}
      ${texts.map((text) => option(text, shown(text), text === value))}
    </select>`;
  if (kind === 'secret') return html`<input type="password" autocomplete="new-password" ${own} />`;
  if (kind === 'number' || kind === 'integer')
    return html`<input type="number" step="${kind === 'integer' ? '1' : 'any'}" value="${value}" ${own} />`;
  // A line break after the tag is not part of the text.
  const look = kind === 'json' ? 'code' : 'text';
  return html`<textarea rows="${kind === 'json' ? '3' : '1'}" class="${look}" spellcheck="false" ${own}>
${value}</textarea>`;
}

function moreField(value: string, fault: string | undefined, isFolded: boolean): Html {
  const field = html`<p class="hint" id="moreh">
      As a JSON object: what has no field above, and what the tool takes without saying so.
    </p>
    <textarea id="more" name="${MORE}" rows="3" class="code" spellcheck="false" aria-describedby="moreh">
${value}</textarea>
    ${faultOf('more', fault)}`;
  if (!isFolded || value !== '' || fault !== undefined)
    return html`<div class="field">
      <label for="more">${isFolded ? 'More arguments' : 'Arguments'}</label>${field}
    </div>`;
  return html`<details class="field">
    <summary>More arguments</summary>
    <label for="more" class="spoken">More arguments</label>${field}
  </details>`;
}

function confirmField(fault: string | undefined): Html {
  return html`<div class="field tick">
    <label
      ><input type="checkbox" name="${CONFIRM}" value="yes" required /> This tool is not declared as
      read-only. Call it, even if that changes something.</label
    >
    ${faultOf(CONFIRM, fault)}
  </div>`;
}

function faultOf(id: string, fault: string | undefined): Html | undefined {
  return fault === undefined ? undefined : html`<p class="wrong" id="${id}f">${shown(fault, 600)}</p>`;
}
