import type { Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import type { Persons } from '../data/persons.ts';
import { serverNamed, serversIn } from '../data/servers.ts';
import { rulesOf, rulesText, toolsSeen, withServerPreset } from '../data/whoSees.ts';
import type { Rules, RulesDraft, SeenTool } from '../data/whoSees.ts';
import { asked, textInput } from '../../kit/pages/filterForm.ts';
import type { FilterField } from '../../kit/pages/filterForm.ts';
import { definePage } from '../web/definePage.ts';
import type { Page, Shown, Visit } from '../web/definePage.ts';
import { badge, hyperlink, section, table } from '../../kit/pages/parts.ts';
import { count, counted, inPath, shown } from '../../kit/pages/words.ts';
import { diffBlock } from './editPage.ts';

const MAX_TOOLS = 200;
/** Shown where nothing is defined. */
const EXAMPLE = `toolsetPresets:
  reading:
    description: Only what cannot change anything
    include: [{ readOnly: true }]`;
/** Who is asked about, as fields of the form and of the query. */
const WHO = ['person', 'issuer', 'groups', 'toolset', 'server'] as const;
type Who = Readonly<Record<(typeof WHO)[number], string>>;

export interface ToolsetsFacts extends RulesDraft {
  readonly who: Who & { readonly isSeen: boolean };
  /** How many tools that person sees by what is in force, and by the draft. */
  readonly now: number;
  readonly then: number;
  /** The first of those that the person could see, the changed ones first. */
  readonly tools: readonly SeenTool[];
  readonly total: number;
}
/** What both the page and its actions are made of. */
export interface ToolsetsParts {
  readonly scope: Scope<unknown>;
  readonly persons: Persons;
}

/** `/toolsets?person=…&add=…`: presets and access of config.yaml, and who sees what by them. */
export function toolsetsPage(parts: ToolsetsParts): Page {
  const { scope } = parts;
  return definePage<ToolsetsFacts>({
    path: '/toolsets',
    nav: 'Toolsets',
    takes: 'define',
    facts: (visit) => {
      const { query } = visit;
      const base = rulesText(scope);
      const server = asked(query, 'add');
      if (server === '') return toolsetsFacts(parts, rulesOf(scope, { text: base }), visit);
      const text = withServerPreset(base, serverNamed(scope, server).name);
      const given = new URLSearchParams(query);
      if (!given.has('toolset')) given.set('toolset', `preset:${server}`);
      return toolsetsFacts(parts, rulesOf(scope, { text }), { ...visit, query: given });
    },
    show: (facts, visit) => toolsetsShown(parts, facts, visit),
  });
}

/** @param visit its form or query says who is asked about @throws GatewayError as Persons and rulesOf() do */
export async function toolsetsFacts(
  { scope, persons }: ToolsetsParts,
  rules: Rules,
  { form, query, request }: Pick<Visit, 'form' | 'query' | 'request'>,
): Promise<ToolsetsFacts> {
  const fields = form.has('text') ? form : query;
  const who = Object.fromEntries(WHO.map((name) => [name, asked(fields, name)])) as unknown as Who;
  const groups = who.groups
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
  // Only groups count where a role is asked about.
  const subject = who.person === '' && groups.length > 0 ? `a member of ${who.groups}` : who.person;
  const { issuer, toolset } = who;
  const one = await persons.requestOf({ who: subject, issuer, groups, toolset }, request);
  const seen =
    rules.errors.length > 0 ? [] : toolsSeen(scope, rules, { request: one.request, declared: toolset });
  const tools = who.server === '' ? seen : seen.filter(({ server }) => server === who.server);
  return {
    text: rules.text,
    stored: rules.stored,
    errors: rules.errors,
    warnings: rules.warnings,
    opens: rules.opens,
    diff: rules.diff,
    digest: rules.digest,
    meanwhile: rules.meanwhile,
    who: { ...who, isSeen: one.known.isSeen },
    now: tools.filter(({ now }) => now).length,
    then: tools.filter(({ then }) => then).length,
    total: tools.length,
    tools: tools.slice(0, MAX_TOOLS),
  };
}

export function toolsetsShown({ scope, persons }: ToolsetsParts, facts: ToolsetsFacts, visit: Visit): Shown {
  const { token } = visit;
  const { text, stored, who } = facts;
  const servers = serversIn(scope).map(({ name }) => name);
  const body = html`<form id="rules" method="post" action="/toolsets" data-preview="preview">
      <input type="hidden" name="token" value="${token}" />
      <input type="hidden" name="base" value="${stored}" />
      ${section(
        'Rules',
        html`<label for="text">YAML of toolsetPresets and access</label>
          <p class="hint" id="about">
            A preset is a named set of tools, which clients choose by the path /mcp/t/&lt;preset&gt; or the
            header X-Service-Toolset. Access gives groups of people their tools, whatever they choose; without
            it, everyone sees every tool. All other keys of config.yaml stay, and so do comments, unless their
            entry goes.
          </p>
          <textarea
            id="text"
            name="text"
            class="yaml"
            rows="14"
            spellcheck="false"
            aria-describedby="about"
            placeholder="${EXAMPLE}"
          >
${text}</textarea>`,
      )}
      ${section(
        'For whom',
        html`<div class="filters">
            ${field(who, 'person', { label: 'Person', example: 'subject or email', known: persons.subjects() })}
            ${field(who, 'groups', { label: 'Groups', example: 'sales, support' })}
            ${field(who, 'issuer', { label: 'Issuer', example: 'https://id.example.com' })}
            ${field(who, 'toolset', { label: 'Toolset that the client declares', example: 'preset:read-only' })}
            ${field(who, 'server', { label: 'Tools of server', known: servers })}
          </div>
          <div class="row">
            <button class="${facts.diff.length === 0 ? 'strong' : 'plain'}">Preview</button>
            <a class="button" href="/toolsets">Cancel</a>
          </div>`,
      )}
    </form>
    <div id="preview">${previewOf(facts, visit)}</div>`;
  return { title: 'Who sees what', body };
}

function field(who: Who, name: keyof Who, parts: Omit<FilterField, 'name'>): Html {
  return html`<div>
    <label for="${name}">${parts.label}</label>${textInput(name, { name, ...parts }, who[name])}
  </div>`;
}

function previewOf(facts: ToolsetsFacts, visit: Visit): Html {
  const { errors, warnings, meanwhile, diff } = facts;
  const faults = [...errors, ...warnings];
  const others = section(
    'Changed meanwhile',
    html`<p>Someone else has changed this since you opened it. What they changed:</p>
      ${diffBlock('What was changed meanwhile', meanwhile)}
      <p>Your text is as you sent it: written now, it replaces their change where both differ.</p>`,
  );
  const checked = section(
    errors.length > 0 ? 'It cannot be written' : 'Warnings',
    html`<ul>
      ${faults.map((fault) => html`<li>${shown(fault, 1_000)}</li>`)}
    </ul>`,
  );
  return html`${meanwhile.length === 0 ? undefined : others}${faults.length === 0 ? undefined : checked}
  ${diff.length === 0 ? undefined : changeSection(facts, visit)}${errors.length > 0 ? undefined : toolSection(facts)}`;
}

/** The button sends the form above, with what is in it now, and what was shown. */
function changeSection({ diff, opens, digest }: ToolsetsFacts, { lacks }: Visit): Html {
  const spoken = html`<span class="spoken"> to config.yaml</span>`;
  const button = (look: string): Html =>
    html`<input type="hidden" form="rules" name="previewed" value="${digest}" />
      <button class="${look}" form="rules" formaction="/toolsets/write">Write it${spoken}</button>`;
  const again = html`<details class="confirm" data-keep="/toolsets/write">
    <summary class="button">Write it…${spoken}</summary>
    <div class="ask">
      <p>${opens.join(' ')} Write it anyway?</p>
      ${button('grave')}
    </div>
  </details>`;
  const asked = opens.length > 0 ? again : button('strong');
  return section(
    'What would change in config.yaml',
    html`${diffBlock('What would change', diff)}
    ${opens.map((words) => html`<p class="care-box">${words}</p>`)}
    ${lacks('/toolsets/write') === undefined ? html`<div class="row actions">${asked}</div>` : undefined}`,
  );
}

function toolSection(facts: ToolsetsFacts): Html {
  const { who, now, then, tools, total, diff } = facts;
  const isDraft = diff.length > 0;
  const sum = isDraft
    ? `${counted(then, 'tool')} of ${count(total)}; ${count(now)} by what is in force`
    : `${counted(now, 'tool')} of ${count(total)}`;
  const heads = isDraft ? ['Tool', 'Server', 'Now', 'Then', 'Why'] : ['Tool', 'Server', 'Sees it', 'Why'];
  const rows = tools.map(({ name, server, now: before, then: after, reason }) => [
    html`<a href="/tools/${inPath(name)}"><code>${shown(name)}</code></a>`,
    server && hyperlink(`/mcps/${inPath(server)}`, server),
    ...(isDraft ? [verdict(before)] : []),
    verdict(after),
    shown(reason, 300),
  ]);
  return section(
    `What ${whoWords(who)} sees`,
    html`<p role="status">${sum}</p>
      ${table({ caption: 'Tools', empty: 'No tool is left by the other rules.' }, heads, rows)}
      ${tools.length === total ? undefined : html`<p class="quiet">The first ${count(MAX_TOOLS)} are listed; name a server to see others.</p>`}
      <p class="quiet">
        Tools that other rules keep from this caller are not listed; ${hyperlink('/explain', 'Explain')} says
        why.
      </p>`,
  );
}

function verdict(isAllowed: boolean): Html {
  return badge(isAllowed ? 'allowed' : 'refused');
}

function whoWords({ person, groups, isSeen }: ToolsetsFacts['who']): string {
  if (person !== '') return `${shown(person, 60)}${isSeen ? ', with the groups of the sign-in,' : ''}`;
  return groups === '' ? 'a caller who has not signed in' : `a member of ${shown(groups, 60)}`;
}
