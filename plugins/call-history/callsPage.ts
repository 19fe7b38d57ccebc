import type { AdminPage } from '../contracts/adminPages.ts';
import { html } from '../kit/http/page.ts';
import type { Html } from '../kit/http/page.ts';
import { defineAdminPage } from '../kit/pages/defineAdminPage.ts';
import { filterForm } from '../kit/pages/filterForm.ts';
import { pager } from '../kit/pages/pager.ts';
import { badge, hyperlink, table } from '../kit/pages/parts.ts';
import { ago, count, counted, inPath, shortId, shown, span, took } from '../kit/pages/words.ts';
import type { CallHistoryConfig } from './config.ts';
import type { CallList, KeptCalls, ShownCall } from './keptCalls.ts';

const OUTCOMES = [
  ['', 'all'],
  ['ok', 'ok'],
  ['error', 'errors'],
  ['refused', 'refused before they began'],
] as const;

/** `/calls?server=&tool=&who=&session=&outcome=&code=&since=&until=`: the calls that have ended. */
export function callsPage(kept: KeptCalls, config: () => CallHistoryConfig): AdminPage {
  return defineAdminPage<CallList>({
    path: '/calls',
    nav: 'Calls',
    navAfter: '/',
    facts: ({ query }) => kept.list(query),
    show: ({ calls, errors, known, gaps }, { query }) => ({
      title: `${counted(calls.total, 'call')}, ${counted(errors, 'error')}`,
      body: html`${filterForm(
          [
            { name: 'server', label: 'Server', known: known.servers },
            { name: 'tool', label: 'Tool', known: known.tools },
            { name: 'who', label: 'Who', known: known.persons, example: 'subject or email' },
            { name: 'session', label: 'Session' },
            { name: 'outcome', label: 'Outcome', choices: OUTCOMES },
            { name: 'code', label: 'Code', known: known.codes },
            { name: 'since', label: 'Since', example: '1h30m or 2026-01-31' },
            { name: 'until', label: 'Until', example: '5m or 2026-01-31' },
          ],
          query,
        )}
        ${gaps.map(
          ({ lost, since, until }) =>
            html`<p class="remedy">
              ${counted(lost, 'call')} that ended from ${ago(new Date(since).toISOString())} to
              ${ago(new Date(until).toISOString())} could not be written, and cannot be listed.
            </p>`,
        )}
        ${callTable(calls.items)}${pager(calls, query)}
        <p class="quiet">
          Calls of the last ${span(config().keepSeconds * 1_000)} at this process. Those that run now are on
          the ${hyperlink('/', 'overview')}; what the admin pages call themselves is in the audit trail only.
        </p>`,
    }),
  });
}

function callTable(calls: readonly ShownCall[]): Html {
  return table(
    { caption: 'Calls', empty: 'No call like that has ended.' },
    ['Ended', 'Tool', 'Server', 'Who', 'Outcome', 'Took', 'Size', 'Error'],
    calls.map((call) => [
      ago(call.ended),
      html`<a href="/calls/${inPath(call.id)}"><code>${shown(call.tool, 60)}</code></a>`,
      call.server === undefined ? undefined : hyperlink(`/mcps/${inPath(call.server)}`, call.server),
      whoIn(call),
      outcomeIn(call),
      html`<span class="number">${took(call.ms)}</span>`,
      call.bytes === undefined ? undefined : html`<span class="number">${count(call.bytes)}</span>`,
      call.error && shown(call.error, 160),
    ]),
  );
}

/** The person, or the session of one without sign-in. */
export function whoIn({ email, subject, session }: ShownCall): Html | string | undefined {
  const name = email ?? subject;
  if (session === undefined) return name && shown(name, 60);
  return hyperlink(`/sessions/${inPath(session)}`, name ?? shortId(session));
}

export function outcomeIn({ code, isRefused }: ShownCall): Html {
  if (code === 'ok') return badge('ok');
  return html`${badge(isRefused === true ? 'refused' : 'error')} <code>${code}</code>`;
}
