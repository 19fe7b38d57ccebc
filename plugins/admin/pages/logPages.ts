import type { Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { GatewayLog } from '../data/gatewayLog.ts';
import { GATEWAY, logLines, sourcesIn } from '../data/logLines.ts';
import type { LogLine } from '../data/logLines.ts';
import { serverNamed } from '../data/servers.ts';
import { asked, choicesOf, filterForm } from '../../kit/pages/filterForm.ts';
import { definePage } from '../web/definePage.ts';
import type { Page } from '../web/definePage.ts';
import { output } from '../../kit/pages/parts.ts';
import { block, counted, inPath, shown } from '../../kit/pages/words.ts';

const MOST = 500;
const MAX_CHARS = 200_000;

interface LogsFacts {
  /** How many fit. */
  readonly total: number;
  /** The last of them, in order of time. */
  readonly lines: readonly LogLine[];
  readonly sources: readonly string[];
}

/** `/logs?source=&text=`: what the gateway and the servers have written last; `/mcps/<name>/logs?text=`: one server. */
export function logPages(scope: Scope<unknown>, log: GatewayLog): readonly Page[] {
  const text = { name: 'text', label: 'Has', example: 'timeout' };
  return [
    definePage<LogsFacts>({
      path: '/logs',
      nav: 'Logs',
      facts: ({ query, request }) => {
        const wanted = { source: asked(query, 'source'), text: asked(query, 'text') };
        return factsOf(logLines(scope, log, wanted, request), sourcesIn(scope, request));
      },
      show: (all, { query }) => {
        const choices = choicesOf(all.sources, asked(query, 'source'));
        const fields = [text, { name: 'source', label: 'Of', choices }];
        return { title: 'Logs', body: html`${filterForm(fields, query, 'Search')} ${lineBlock(all, true)}` };
      },
    }),
    definePage<LogsFacts & { readonly name: string }>({
      path: '/mcps/:name/logs',
      facts: ({ params, query, request }) => {
        const { name } = serverNamed(scope, params['name'] ?? '');
        const lines = logLines(scope, log, { source: name, text: asked(query, 'text') }, request);
        return { name, ...factsOf(lines, [name]) };
      },
      show: (all, { query }) => ({
        title: `Logs of ${shown(all.name)}`,
        body: html`<p><a href="/mcps/${inPath(all.name)}">The server</a></p>
          ${filterForm([text], query, 'Search')} ${lineBlock(all, false)}`,
      }),
    }),
  ];
}

function factsOf(lines: readonly LogLine[], sources: readonly string[]): LogsFacts {
  return { total: lines.length, lines: lines.slice(-MOST), sources };
}

/** @param isMixed whether each line names its source */
function lineBlock({ total, lines }: LogsFacts, isMixed: boolean): Html {
  const words =
    total > lines.length
      ? `The last ${String(lines.length)} of ${counted(total, 'line')}`
      : counted(total, 'line');
  if (total === 0) return html`<p class="empty">No line that is kept fits.</p>`;
  const from = ({ source }: LogLine): string =>
    isMixed ? `${source === GATEWAY ? 'gateway' : source}  ` : '';
  const text = lines.map((line) => `${line.time}  ${from(line)}${line.text}`).join('\n');
  return html`<p class="quiet">${words}, the newest at the end.</p>
    ${output('Lines', block(text.slice(-MAX_CHARS), MAX_CHARS))}`;
}
