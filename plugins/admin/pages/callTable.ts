import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { RunningCall } from '../data/callsUnderWay.ts';
import { ownerIn } from '../data/ownerIn.ts';
import { actionForm } from '../../kit/pages/actionForm.ts';
import type { Visit } from '../web/definePage.ts';
import { hyperlink, table } from '../../kit/pages/parts.ts';
import { inPath, shortId, shown, span } from '../../kit/pages/words.ts';

/** Calls under way, each with a button that cancels it. @param next the page to return to */
export function callTable(calls: readonly RunningCall[], visit: Visit, next: string): Html {
  return table(
    { caption: 'Calls under way', empty: 'No call is under way.' },
    ['Tool', 'Server', 'Session', 'Age', ''],
    calls.map(({ id, tool, server, session, caller, since, ageMs }) => [
      html`<code>${shown(tool)}</code>`,
      server === undefined || ownerIn(visit) !== undefined
        ? server && shown(server)
        : hyperlink(`/mcps/${inPath(server)}`, server),
      session === undefined
        ? caller && shown(caller, 60)
        : hyperlink(`/sessions/${inPath(session)}`, shortId(session)),
      html`<time datetime="${since}" title="${since}">${span(ageMs)}</time>`,
      actionForm(visit, {
        action: `/calls/${String(id)}/cancel`,
        label: 'Cancel',
        about: `the call of ${shown(tool)}`,
        fields: { next },
      }),
    ]),
  );
}
