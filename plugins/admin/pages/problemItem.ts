import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { Problem } from '../data/problemsIn.ts';
import { actionForm } from '../../kit/pages/actionForm.ts';
import type { Visit } from '../web/definePage.ts';
import { badge, hyperlink } from '../../kit/pages/parts.ts';
import { shown } from '../../kit/pages/words.ts';
import { wayOut } from '../web/wayOut.ts';

/** A problem with what helps: the action that its cause asks for, else the buttons of the server's page. */
export function problemItem({ title, detail, remedy, action, path, isWarning }: Problem, visit: Visit): Html {
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
    ${action === undefined && path?.startsWith('/mcps/') === true ? buttons(path, isWarning, visit) : undefined}
  </div>`;
}

/** A warning is about the definition; a fault may be over with another start. */
function buttons(path: string, isWarning: boolean, visit: Visit): Html {
  const about = shown(decodeURIComponent(path.slice('/mcps/'.length)));
  return html`<div class="row actions">
    ${isWarning ? undefined : actionForm(visit, { action: `${path}/restart`, label: 'Restart', about })}
    <a class="button" href="${path}/edit">Edit<span class="spoken"> ${about}</span></a>
  </div>`;
}
