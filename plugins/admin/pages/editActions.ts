import { GatewayError, isGatewayError } from 'pegboard';
import type { Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { definitionText, draftOf, withSwitched } from '../data/draft.ts';
import type { Draft } from '../data/draft.ts';
import { runTool } from '../data/runTool.ts';
import { actionForm } from '../../kit/pages/actionForm.ts';
import type { Action, Answered, Done, Visit } from '../web/definePage.ts';
import { section } from '../../kit/pages/parts.ts';
import { inPath, shown } from '../../kit/pages/words.ts';
import { diffBlock, editForm } from './editPage.ts';

/** `POST /mcps/<name>/edit` shows what a change would do, `POST /mcps/<name>/write` does it by core_mcpserver_update. */
export function editActions(scope: Scope<unknown>): readonly Action[] {
  return [
    { method: 'POST', path: '/mcps/:name/edit', run: (visit) => preview(scope, visit) },
    { method: 'POST', path: '/mcps/:name/tools', run: (visit) => switchTool(scope, visit) },
    { method: 'POST', path: '/mcps/:name/write', run: (visit) => write(scope, visit) },
  ];
}

async function preview(scope: Scope<unknown>, visit: Visit): Promise<Answered> {
  return previewOf(await sentDraft(scope, visit), visit);
}

function previewOf(draft: Draft, visit: Visit): Answered {
  const { name, errors, warnings, diff, meanwhile } = draft;
  const facts = { name, errors, warnings, diff, meanwhile };
  return { facts, shown: { title: `Edit ${shown(draft.name)}`, body: bodyOf(draft, visit) } };
}

/** Shows the change of excludeTools that takes a tool from all clients, or gives it back. */
async function switchTool(scope: Scope<unknown>, visit: Visit): Promise<Answered> {
  const {
    params: { name = '' },
    form,
  } = visit;
  const [tool, to] = [form.get('tool') ?? '', form.get('to') ?? ''];
  if (tool === '' || (to !== 'on' && to !== 'off'))
    throw new GatewayError(
      'REQUEST_MALFORMED',
      "send the server's own name of the tool as tool, and on or off as to",
    );
  const { text: base } = await definitionText(scope, name);
  return previewOf(await draftOf(scope, name, { text: withSwitched(base, tool, to === 'on'), base }), visit);
}

async function write(scope: Scope<unknown>, visit: Visit): Promise<Done | Answered> {
  const draft = await sentDraft(scope, visit);
  const { name, fields, errors, meanwhile } = draft;
  const next = `/mcps/${inPath(name)}`;
  if (meanwhile.length > 0) {
    const text = `the definition of ${name} was changed meanwhile, and nothing was written; look at the change, then write again`;
    return refused(draft, visit, new GatewayError('STORE_CONFLICT', text));
  }
  if (errors.length > 0) {
    const text = `nothing was written: ${errors.join('; ')}`;
    return refused(draft, visit, new GatewayError('TOOL_ARGUMENTS', text));
  }
  if (Object.keys(fields).length === 0) return { message: `the definition of ${name} is as it was`, next };
  try {
    await runTool(scope, 'core_mcpserver_update', { name, ...fields }, visit.request);
  } catch (error) {
    if (isGatewayError(error) && error.expose) return refused(draft, visit, error);
    throw error;
  }
  return { message: `the definition of ${name} was written`, next };
}

/** Browsers send line breaks as CRLF. */
function sentDraft(scope: Scope<unknown>, { params: { name = '' }, form }: Visit): Promise<Draft> {
  const field = (key: string): string | undefined => form.get(key)?.replaceAll('\r\n', '\n');
  const [text, base] = [field('text'), field('base')];
  if (text === undefined)
    throw new GatewayError('REQUEST_MALFORMED', 'send the YAML of the definition as text');
  return draftOf(scope, name, { text: text.replace(/^\n/, ''), ...(base !== undefined && { base }) });
}

/** The form again, with what was sent: nothing is lost. */
function refused(draft: Draft, visit: Visit, error: GatewayError): Answered {
  const words = html`<p class="fault">${shown(error.message, 2_000)}</p>`;
  const title = `Edit ${shown(draft.name)}`;
  return { error, facts: undefined, shown: { title, body: html`${words}${bodyOf(draft, visit)}` } };
}

function bodyOf(draft: Draft, visit: Visit): Html {
  const { name, text, stored, errors, warnings, diff, meanwhile } = draft;
  const others =
    meanwhile.length === 0
      ? undefined
      : section(
          'Changed meanwhile',
          html`<p>Someone else has changed this definition since you opened it. What they changed:</p>
            ${diffBlock('What was changed meanwhile', meanwhile)}
            <p>
              Your text is below as you sent it. Compare it: written now, it replaces their change where both
              differ.
            </p>`,
        );
  const faults = [...errors, ...warnings];
  const checked =
    faults.length === 0
      ? undefined
      : section(
          errors.length > 0 ? 'It cannot be written' : 'Warnings',
          html`<ul>
            ${faults.map((fault) => html`<li>${shown(fault, 1_000)}</li>`)}
          </ul>`,
        );
  const isReady = errors.length === 0 && diff.length > 0;
  const button = actionForm(visit, {
    action: `/mcps/${inPath(name)}/write`,
    label: 'Write it',
    about: shown(name),
    fields: { text, base: stored },
    isMain: true,
  });
  const change = section(
    'What would change',
    html`${diff.length === 0 ? html`<p class="empty">Nothing.</p>` : diffBlock('What would change', diff)}
    ${isReady ? html`<div class="row actions">${button}</div>` : undefined}`,
  );
  return html`${others}${checked}${errors.length > 0 && diff.length === 0 ? undefined : change}
  ${section('Definition', editForm({ name, text, base: stored }, visit, !isReady))}`;
}
