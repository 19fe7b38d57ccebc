import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { StandardErrorFacts } from '../data/standardError.ts';
import { output, section } from '../web/parts.ts';
import { block, counted, shown } from '../web/words.ts';

const MAX_CHARS = 200_000;

/** The last lines of a process, the newest at the end. */
export function standardErrorSection(name: string, { instance, lines }: StandardErrorFacts): Html {
  const text = lines
    .map((line) => `${line.time}  ${'started' in line ? '(a process was started)' : line.text}`)
    .join('\n');
  const whose = instance === undefined ? undefined : html`<p class="quiet">${shown(instance)}</p>`;
  const body =
    lines.length === 0
      ? html`<p class="empty">Nothing is kept of it.</p>`
      : output(`Standard error of ${shown(name)}`, block(text, MAX_CHARS));
  return section('Standard error', html`${whose}${body}`, counted(lines.length, 'line'));
}
