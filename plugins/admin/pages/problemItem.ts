import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { Problem } from '../data/problemsIn.ts';
import { actionForm } from '../../kit/pages/actionForm.ts';
import type { Visit } from '../web/definePage.ts';
import { badge, hyperlink } from '../../kit/pages/parts.ts';
import { inPath, shown } from '../../kit/pages/words.ts';
import { editButton, wayOut } from '../web/wayOut.ts';

/** A problem with what helps: the action that its cause asks for, else the buttons of the server's page. */
export function problemItem(
  { title, detail, remedy, action, server, path, isWarning }: Problem,
  visit: Visit,
): Html {
  return html`<div class="problem">
    <p>
      ${badge(isWarning ? 'warning' : 'error')}
      <b>${path === undefined ? shown(title) : hyperlink(path, title)}</b>
    </p>
    <p>${shown(detail, 400)}</p>
    ${
      action === undefined
        ? html`<p class="quiet">What helps: ${shown(remedy, 300)}</p>`
        : html`<div class="quiet">What helps: ${wayOut(action, visit)}</div>`
    }
    ${action === undefined && server !== undefined ? buttons(server, { hasPage: path !== undefined, isWarning }, visit) : undefined}
  </div>`;
}

/** A warning is about the definition, as is the fault of a server that is not in force; another fault may be over with another start. */
function buttons(
  server: string,
  { hasPage, isWarning }: { readonly hasPage: boolean; readonly isWarning: boolean },
  visit: Visit,
): Html {
  const restart = { action: `/mcps/${inPath(server)}/restart`, label: 'Restart', about: shown(server) };
  return html`<div class="row actions">
    ${hasPage && !isWarning ? actionForm(visit, { ...restart, isMain: true }) : undefined}
    ${editButton(visit, server)}
  </div>`;
}
