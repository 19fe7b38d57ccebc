import type { AdminPage } from '../contracts/adminPages.ts';
import { html } from '../kit/http/page.ts';
import type { Html } from '../kit/http/page.ts';
import { actionForm } from '../kit/pages/actionForm.ts';
import { defineAdminPage } from '../kit/pages/defineAdminPage.ts';
import { excerpt } from '../kit/pages/excerpt.ts';
import { pager } from '../kit/pages/pager.ts';
import { badge, facts, hyperlink, section, table } from '../kit/pages/parts.ts';
import { counted, inPath, shown } from '../kit/pages/words.ts';
import { shownText } from '../kit/text/shownText.ts';
import type { Matters, ShownMatter } from './matters.ts';
import type { PartChange } from './partChanges.ts';
import type { Finding, Suspects } from './suspects.ts';

const PATH = '/pins';
const MAX_FINDINGS = 200;

interface Chosen extends ShownMatter {
  readonly before: boolean;
  readonly changes: readonly PartChange[];
}
interface PinFacts {
  readonly pins: ReturnType<typeof excerpt<ShownMatter>>;
  readonly chosen: readonly Chosen[];
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
    facts: ({ query }) => {
      const all = matters.list();
      const chosen = all.filter(({ name }) => name === query.get('name'));
      const withChanges = (one: ShownMatter): Chosen => ({
        ...one,
        ...matters.changesOf(matters.find(one.name, one.hash)),
      });
      const findings = suspects.list().slice(0, MAX_FINDINGS);
      return { pins: excerpt(all, query), chosen: chosen.map(withChanges), findings };
    },
    show: ({ pins, chosen, findings }, visit) => ({
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

function formOf({ name, hash }: Chosen, what: 'accept' | 'refuse', warning: string) {
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
