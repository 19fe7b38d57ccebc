import type { AdminPage, AdminVisit } from '../contracts/adminPages.ts';
import { html } from '../kit/http/page.ts';
import type { Html } from '../kit/http/page.ts';
import { actionForm } from '../kit/pages/actionForm.ts';
import { defineAdminPage } from '../kit/pages/defineAdminPage.ts';
import { excerpt } from '../kit/pages/excerpt.ts';
import { pager } from '../kit/pages/pager.ts';
import { badge, facts, hyperlink, section, table } from '../kit/pages/parts.ts';
import { counted, inPath, shown } from '../kit/pages/words.ts';
import { shownText } from '../kit/text/shownText.ts';
import type { ChangedMatter, Matters, PinSet, ShownMatter } from './matters.ts';
import type { PartChange } from './partChanges.ts';
import type { Finding, Suspects } from './suspects.ts';

const PATH = '/pins';
const MAX_FINDINGS = 200;
/** Declarations of a server that are shown with their changes. */
const MAX_CHOSEN = 200;

type ShownSet = Pick<PinSet, 'server' | 'count' | 'hash'>;
interface PinFacts {
  readonly pins: ReturnType<typeof excerpt<ShownMatter>>;
  readonly chosen: readonly ChangedMatter[];
  /** All that waits of the chosen server. */
  readonly set: ShownSet | undefined;
  readonly findings: readonly Finding[];
}

/** `/pins?name=`: what servers declare otherwise than accepted, and what has changed of one. */
export function pinsPage(matters: Matters, suspects: Suspects): AdminPage {
  const settled = async (form: URLSearchParams, isAccepted: boolean) => {
    const name = form.get('name') ?? '';
    await matters.settle(name, form.get('hash') ?? '', isAccepted);
    return { message: `${isAccepted ? 'accepted' : 'refused'} ${shown(name)}`, next: PATH };
  };
  return defineAdminPage<PinFacts>({
    path: PATH,
    nav: 'Pins',
    navAfter: '/tools',
    facts: async ({ query }) => {
      const all = matters.list();
      const name = query.get('name');
      // Both are of one moment: nothing may be accepted that is not shown.
      const found = matters.sets().find(({ server }) => server === name);
      const set = found && { server: found.server, count: found.count, hash: found.hash };
      const chosen = name === null ? [] : await matters.changed(name, MAX_CHOSEN);
      const findings = suspects.list().slice(0, MAX_FINDINGS);
      return { pins: excerpt(all, query), chosen, set, findings };
    },
    show: ({ pins, chosen, set, findings }, visit) => ({
      title: counted(pins.total, 'changed declaration'),
      body: html`${chosen.map((one) =>
        section(
          shown(one.name),
          html`${facts([
            ['Server', hyperlink(`/mcps/${inPath(one.server)}`, one.server)],
            ['What is done', shown(one.why)],
            ['Hash', html`<code>${one.hash}</code>`],
            [
              'Before',
              one.before ? undefined : 'What was accepted is not kept: this is what is declared now.',
            ],
          ])}
          ${one.changes.map(changed)}
          ${actionForm(visit, formOf(one, 'accept', 'It counts as it is declared now, its hints included.'))}
          ${actionForm(visit, formOf(one, 'refuse', 'It is out until its server declares something else.'))}`,
        ),
      )}
      ${set && wholeServer(visit, set, chosen)}
      ${table(
        { caption: 'Changed declarations', empty: 'All servers declare what was accepted.' },
        ['Name', 'Server', 'State', 'What is done', 'Asks for more trust'],
        pins.items.map((one) => [
          hyperlink(`${PATH}?name=${encodeURIComponent(one.name)}`, one.name),
          hyperlink(`/mcps/${inPath(one.server)}`, one.server),
          badge(one.state),
          one.held,
          one.widens.join(', '),
        ]),
      )}
      ${pager(pins, visit.query)}
      ${table(
        {
          caption: 'What deserves a look',
          empty: 'No declaration speaks to the model or hides something from people.',
        },
        ['Name', 'Server', 'Rule', 'The tool', 'Found'],
        findings.map(({ name, server, rule, says, found }) => [
          shown(name),
          hyperlink(`/mcps/${inPath(server)}`, server),
          badge(rule),
          says,
          shownText(found),
        ]),
      )}`,
    }),
    actions: [
      { method: 'POST', path: `${PATH}/accept`, run: ({ form }) => settled(form, true) },
      { method: 'POST', path: `${PATH}/refuse`, run: ({ form }) => settled(form, false) },
    ],
  });
}

/** Who accepts all has all of it on the page. */
function wholeServer(
  visit: AdminVisit,
  { server, count, hash }: ShownSet,
  chosen: readonly ChangedMatter[],
): Html {
  const shownOnes = chosen.filter((one) => one.server === server && one.state !== 'refused');
  const title = `All ${counted(count, 'changed declaration')} of ${server}`;
  if (shownOnes.length < count)
    return section(
      title,
      html`<p>
        They are too many for this page: <code>pegboard pins diff --server ${server}</code> shows them.
      </p>`,
    );
  const fields = { name: server, hash };
  const about = server;
  const form = (what: 'accept' | 'refuse', label: string, warning: string): Html =>
    actionForm(visit, { action: `${PATH}/${what}`, label, about, fields, warning });
  return section(
    title,
    html`${facts([['Hash', html`<code>${hash}</code>`]])}
    ${form('accept', 'Accept all', 'All that is shown above counts as it is declared now.')}
    ${form('refuse', 'Refuse all', 'All that is shown above is out until its server declares something else.')}`,
  );
}

function formOf({ name, hash }: ChangedMatter, what: 'accept' | 'refuse', warning: string) {
  const label = what === 'accept' ? 'Accept' : 'Refuse';
  return { action: `${PATH}/${what}`, label, about: name, fields: { name, hash }, warning };
}

/** One part, with what went struck out and what came underlined: a browser does so without a style. */
function changed({ part, words }: PartChange): Html {
  const runs = words.map(({ change, text }) => {
    if (change === 'same') return html`${text}`;
    return change === 'removed' ? html`<del>${text}</del>` : html`<ins>${text}</ins>`;
  });
  return html`<h3>${part}</h3>
    <pre tabindex="0" role="region" aria-label="${part}">${'\n'}${runs}</pre>`;
}
