import type { AdminPage } from '../contracts/adminPages.ts';
import { html } from '../kit/http/page.ts';
import type { Html } from '../kit/http/page.ts';
import { defineAdminPage } from '../kit/pages/defineAdminPage.ts';
import { facts, hyperlink, output, section } from '../kit/pages/parts.ts';
import { ago, block, count, inPath, shown, took } from '../kit/pages/words.ts';
import type { CallHistoryConfig } from './config.ts';
import { isPartlyHidden, wholeArguments } from './keptCalls.ts';
import type { KeptCalls, ShownCall } from './keptCalls.ts';
import { outcomeIn, whoIn } from './callsPage.ts';

const KEY = 'plugins.call-history.config.content: true';

/** `/calls/<id>`: one call that has ended. */
export function callPage(kept: KeptCalls, config: () => CallHistoryConfig): AdminPage {
  return defineAdminPage<ShownCall>({
    path: '/calls/:id',
    facts: ({ params }) => kept.get(params['id'] ?? ''),
    show: (call) => ({
      title: `Call of ${shown(call.tool)}`,
      body: html`${about(call)} ${failure(call, config())} ${content(call, config())}`,
    }),
  });
}

function about(call: ShownCall): Html {
  const { tool, server, ended, ms, bytes, request, trace, client, subject, issuer, id, isRefused } = call;
  const filter = (name: string, value: string): Html =>
    hyperlink(`/calls?${new URLSearchParams({ [name]: value }).toString()}`, value);
  const body = html`${facts([
      ['Tool', filter('tool', tool)],
      ['Server', server === undefined ? undefined : hyperlink(`/mcps/${inPath(server)}`, server)],
      ['Who', whoIn(call)],
      ['Subject', subject === undefined ? undefined : shown(subject)],
      ['Issuer', issuer === undefined ? undefined : shown(issuer)],
      ['Client', client === undefined ? undefined : shown(client)],
      ['Session', call.session === undefined ? undefined : filter('session', call.session)],
      ['Transport', call.transport],
      ['Ended', ago(ended)],
      ['Took', isRefused === true ? 'nothing: it was refused before it began' : took(ms)],
      ['Size of the result', bytes === undefined ? undefined : `${count(bytes)} bytes`],
      ['Request in the log', request],
      ['Trace', trace],
    ])}
    <div class="row actions">${again(call, id)}</div>`;
  return section('What it was', body, outcomeIn(call));
}

/** The form of the tool; meta-tools have none. */
function again({ tool, kind, args }: ShownCall, id: string): Html | undefined {
  if (kind === undefined || kind === 'meta') return undefined;
  const given = args === undefined ? undefined : wholeArguments(args);
  const query = given === undefined ? '' : `?call=${inPath(id)}`;
  const note =
    given !== undefined && isPartlyHidden(given) ? 'What is hidden has to be typed again.' : undefined;
  return html`<a class="button" href="/tools/${inPath(tool)}${query}">Call again…</a>
    ${note === undefined ? undefined : html`<span class="quiet">${note}</span>`}`;
}

function failure({ error }: ShownCall, { maxContentChars }: CallHistoryConfig): Html | undefined {
  if (error === undefined) return undefined;
  return section('What it failed with', output('Error', block(error, maxContentChars + 1)));
}

function content({ args, result }: ShownCall, { maxContentChars }: CallHistoryConfig): Html {
  const part = (name: string, text: string | undefined): Html | undefined =>
    text === undefined
      ? undefined
      : html`<h3>${name}</h3>
          ${output(name, block(indented(text), 4 * maxContentChars))}`;
  if (args === undefined && result === undefined)
    return section(
      'Arguments and result',
      html`<p class="quiet">They are not kept. With <code>${KEY}</code> those of later calls are.</p>`,
    );
  return section(
    'Arguments and result',
    html`${part('Arguments', args)}${part('Result', result)}`,
    html`kept because of <code>${KEY}</code>; known secrets are hidden`,
  );
}

function indented(text: string): string {
  const value = wholeArguments(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}
