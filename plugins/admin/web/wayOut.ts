import { actionWords } from '../../kit/faults/action.ts';
import type { Action } from '../../kit/faults/action.ts';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { actionForm } from '../../kit/pages/actionForm.ts';
import type { FormVisit } from '../../kit/pages/actionForm.ts';
import { whyNot } from './checkSender.ts';
import type { Visit } from './definePage.ts';
import { hyperlink } from '../../kit/pages/parts.ts';
import { inPath, sentence, shown } from '../../kit/pages/words.ts';

/** Why the person cannot send a form to that path, to be shown in its place; undefined if they can. */
export function notOffered({ lacks, visitor }: Visit, path: string): Html | undefined {
  const taken = lacks(path);
  if (taken === undefined || visitor === undefined) return undefined;
  return html`<p class="quiet">${sentence(whyNot(visitor, taken))}</p>`;
}

const LABELS = { start: 'Start', restart: 'Restart' } as const;

/** What helps: in words, with the button that does it or the page on which it is done. */
export function wayOut(action: Action, visit: FormVisit): Html {
  const words = shown(actionWords(action, 'page'), 600);
  if ((action.do === 'start' || action.do === 'restart') && action.server !== undefined) {
    const { do: operation, server } = action;
    const path = `/mcps/${inPath(server)}/${operation}`;
    if (visit.lacks?.(path) !== undefined) return html`${words}`;
    const label = LABELS[operation];
    return actionForm(visit, { action: path, label, about: shown(server), isMain: true });
  }
  const page = pageFor(action);
  if (page === undefined) return html`${words}`;
  if (action.do !== 'edit' || action.server === undefined) return hyperlink(page, words);
  return html`${words} ${editButton(visit, action.server)}`;
}

/** What leads to the definition of a server; nothing for a person who may not write it. */
export function editButton({ lacks }: FormVisit, server: string): Html {
  const path = `/mcps/${inPath(server)}`;
  if (lacks?.(`${path}/write`) !== undefined) return html``;
  return html`<a class="button strong" href="${path}/edit"
    >Edit<span class="spoken"> ${shown(server)}</span></a
  >`;
}

function pageFor(action: Action): string | undefined {
  switch (action.do) {
    case 'edit':
    case 'authorize':
      return action.server === undefined ? undefined : `/mcps/${inPath(action.server)}/edit`;
    case 'set':
      return '/config';
    case 'find':
    case 'define':
      return '/tools';
    case 'list':
      return action.kind === 'workflows' ? '/workflows' : '/mcps';
    case 'call':
      return `/tools/${inPath(action.tool)}`;
    default:
      return undefined;
  }
}
