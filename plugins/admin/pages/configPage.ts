import type { Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { configFacts } from '../data/configFacts.ts';
import type { ConfigFacts, ConfigValueFacts, DefinitionFacts, ReloadFacts } from '../data/configFacts.ts';
import { actionForm } from '../../kit/pages/actionForm.ts';
import { definePage } from '../web/definePage.ts';
import type { Page, Visit } from '../web/definePage.ts';
import { badge, hyperlink, section, table } from '../../kit/pages/parts.ts';
import { count, counted, inPath, shown } from '../../kit/pages/words.ts';

const MAX_DEFINITIONS = 200;

/** `/config`: the configuration in force, and where each value comes from. */
export function configPage(scope: Scope<unknown>): Page {
  return definePage<ConfigFacts>({
    path: '/config',
    nav: 'Configuration',
    facts: () => configFacts(scope),
    show: (facts, visit) => ({
      title: 'Configuration',
      body: html`${stateSection(facts, visit)}${problemSection(facts.lastReload)}
      ${valueSection(facts)}${definitionSection(facts.definitions)}`,
    }),
  });
}

function stateSection({ directory, unsaved, lastReload }: ConfigFacts, visit: Visit): Html {
  const isChanged = unsaved.length > 0;
  const losses = 'The changes that are not saved are dropped.';
  const words = isChanged
    ? html`<p class="care-box">
        ${counted(unsaved.length, 'change')} not saved: ${shown(unsaved.join(', '), 500)}. In force, but lost
        with a reload or a restart.
      </p>`
    : html`<p>Nothing is unsaved.</p>`;
  return section(
    'State',
    html`${words}
      <p class="quiet">Directory <code>${shown(directory, 500)}</code></p>
      <div class="row actions">
        ${isChanged ? actionForm(visit, { action: '/config/save', label: 'Save' }) : undefined}
        ${actionForm(visit, { action: '/config/reload', label: 'Reload', ...(isChanged && { warning: losses }) })}
      </div>`,
    lastReload === undefined ? undefined : badge(lastReload.applied ? 'applied' : 'refused'),
  );
}

function problemSection(report: ReloadFacts | undefined): Html | undefined {
  if (report === undefined || (report.applied && report.problems.length === 0)) return undefined;
  const { applied, problems } = report;
  const lead = applied
    ? undefined
    : html`<p class="fault">The last reload was refused; what is shown below stays in force.</p>`;
  const rows = table(
    { caption: 'Problems of the last reload', empty: 'It names none.' },
    ['Where', 'What', 'Kind'],
    problems.map(({ place, message, severity }) => [
      place === undefined ? undefined : html`<code>${shown(place, 300)}</code>`,
      shown(message, 1_000),
      badge(severity),
    ]),
  );
  return section('Problems of the last reload', html`${lead}${rows}`);
}

function valueSection({ values }: ConfigFacts): Html {
  const isSet = values.filter(({ source }) => source !== 'default').length;
  return section(
    'In force',
    branch(values, 0),
    `${count(isSet)} set, ${count(values.length - isSet)} defaults`,
  );
}

/** The values whose first `depth` keys are equal. */
function branch(values: readonly ConfigValueFacts[], depth: number): Html {
  const byKey = new Map<string, ConfigValueFacts[]>();
  for (const value of values) {
    const key = value.path[depth] ?? '';
    byKey.set(key, [...(byKey.get(key) ?? []), value]);
  }
  return html`<ul class="tree">
    ${[...byKey].map(([key, below]) => html`<li>${node(key, below, depth)}</li>`)}
  </ul>`;
}

function node(key: string, values: readonly ConfigValueFacts[], depth: number): Html {
  const [first] = values;
  if (first?.path.length === depth + 1) return leaf(key, first);
  const isSet = values.filter(({ source }) => source !== 'default').length;
  const note =
    isSet === 0 ? counted(values.length, 'default') : `${count(isSet)} of ${count(values.length)} set`;
  const head = html`<summary><code>${shown(key)}</code> <span class="quiet">${note}</span></summary>`;
  const id = (first?.path ?? []).slice(0, depth + 1).join('.');
  return isSet === 0
    ? html`<details data-keep="${id}">${head}${branch(values, depth + 1)}</details>`
    : html`<details data-keep="${id}" open>${head}${branch(values, depth + 1)}</details>`;
}

function leaf(key: string, { value, source, place }: ConfigValueFacts): Html {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const words =
    source === 'default'
      ? html`<code>${shown(text, 300)}</code>`
      : html`<strong><code>${shown(text, 300)}</code></strong>`;
  return html`<div class="leaf">
    <code>${shown(key)}</code> ${words} <span class="quiet">${origin(source, place)}</span>
  </div>`;
}

function origin(source: ConfigValueFacts['source'], place: string | undefined): string {
  const at = place === undefined ? undefined : shown(place, 200);
  if (source === 'file') return at ?? 'config.yaml';
  if (source === 'default') return 'default';
  if (source === 'unsaved') return at === undefined ? 'not saved' : `not saved; differs from ${at}`;
  return at === undefined
    ? 'not in config.yaml: by a flag, or removed there and not applied'
    : `differs from ${at}: a flag overrides it, or the file is not applied`;
}

function definitionSection(definitions: readonly DefinitionFacts[]): Html {
  const more = definitions.length - MAX_DEFINITIONS;
  const rows = table(
    { caption: 'Definitions in force', empty: 'There are none.' },
    ['Name', 'Kind', 'Where'],
    definitions
      .slice(0, MAX_DEFINITIONS)
      .map(({ kind, name, place }) => [
        kind === 'MCPServer' ? hyperlink(`/mcps/${inPath(name)}/edit`, name) : shown(name),
        kind,
        place === undefined ? undefined : html`<code>${shown(place, 300)}</code>`,
      ]),
  );
  const rest =
    more > 0 ? html`<p class="quiet">${count(more)} more are in the JSON of this page.</p>` : undefined;
  return section('Definitions in force', html`${rows}${rest}`, count(definitions.length));
}
