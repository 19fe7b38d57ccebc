import type { Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { definitionText } from '../data/draft.ts';
import type { DefinitionText } from '../data/draft.ts';
import type { DiffLine } from '../data/lineDiff.ts';
import { definePage } from '../web/definePage.ts';
import type { Page, Visit } from '../web/definePage.ts';
import { notOffered } from '../web/wayOut.ts';
import { output, section } from '../../kit/pages/parts.ts';
import { block, inPath, shown } from '../../kit/pages/words.ts';

/** `/mcps/<name>/edit`: the definition of a server, to be changed. */
export function editPage(scope: Scope<unknown>): Page {
  return definePage<DefinitionText>({
    path: '/mcps/:name/edit',
    facts: ({ params: { name = '' } }) => definitionText(scope, name),
    show: ({ name, text }, visit) => ({
      title: `Edit ${shown(name)}`,
      body: section('Definition', editForm({ name, text, base: text }, visit)),
    }),
  });
}

/** The text of a definition in a form that leads to the preview. @param base what was stored when it was opened
 *  @param isMain whether the preview is what is to be done next */
export function editForm(
  { name, text, base }: DefinitionText & { readonly base: string },
  visit: Visit,
  isMain = true,
): Html {
  const reason = notOffered(visit, `/mcps/${inPath(name)}/edit`);
  if (reason !== undefined) return html`${reason}${output('Definition', block(text))}`;
  // Browsers drop the one line break that follows the tag of a textarea.
  return html`<form method="post" action="/mcps/${inPath(name)}/edit">
    <input type="hidden" name="token" value="${visit.token}" />
    <input type="hidden" name="base" value="${base}" />
    <label for="text">YAML</label>
    <p class="quiet" id="about">
      [redacted] keeps a stored secret. References such as \${env:NAME} stay too; new ones belong into the
      file, unless references.allow in config.yaml has them. Comments and the order of keys stay as they are
      in the file; comments here are not stored.
    </p>
    <textarea id="text" name="text" class="yaml" rows="16" spellcheck="false" aria-describedby="about">
${text}</textarea>
    <div class="row actions">
      <button class="${isMain ? 'strong' : 'plain'}">Preview the change</button>
      <a class="button" href="/mcps/${inPath(name)}">Cancel</a>
    </div>
  </form>`;
}

/** Lines that begin with - or +, not told by colour alone. */
export function diffBlock(label: string, lines: readonly DiffLine[]): Html {
  const shownLines = lines.map(({ sign, text }) => {
    const look = sign === '+' ? 'added' : sign === '-' ? 'removed' : 'same';
    return html`<span class="${look}">${sign} ${shownLine(text)}${'\n'}</span>`;
  });
  return html`<pre class="diff" tabindex="0" role="region" aria-label="${label}">${shownLines}</pre>`;
}

function shownLine(text: string): string {
  const indent = /^ */.exec(text)?.[0] ?? '';
  return indent + shown(text, 2_000);
}
