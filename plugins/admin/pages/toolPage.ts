import type { JsonObject, Scope, Tool } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { argumentFields, takesMore } from '../data/argumentFields.ts';
import type { AnswerFacts } from '../data/answerFacts.ts';
import { ownName, tokensOf } from '../data/servers.ts';
import { WITHOUT_CALLER, changes, isPersonal, toolNamed } from '../data/tools.ts';
import { CallHistory } from '../../contracts/callHistory.ts';
import { givenAgain } from '../data/givenAgain.ts';
import { argumentForm } from '../web/argumentForm.ts';
import { callButtons } from '../web/callLinks.ts';
import { definePage } from '../web/definePage.ts';
import type { Page, Visit } from '../web/definePage.ts';
import { toolSwitch } from '../web/toolSwitch.ts';
import { notOffered } from '../web/wayOut.ts';
import { badge, facts, hyperlink, output, section } from '../../kit/pages/parts.ts';
import { block, counted, inPath, shown } from '../../kit/pages/words.ts';

export interface ToolFacts {
  readonly name: string;
  readonly kind: string;
  readonly server?: string;
  /** The server's own name of it. */
  readonly own: string;
  readonly description: string;
  readonly annotations: JsonObject;
  readonly tokens: number;
  readonly inputSchema: JsonObject;
  /** Whether it may change something: a call then needs `confirm=yes`. */
  readonly asksFirst: boolean;
  /** Whether each caller has a connection of their own to its server. */
  readonly isPersonal: boolean;
  /** The arguments of the call that `?call=` names. */
  readonly given?: JsonObject;
}

/** `/tools/<name>`: one tool, and a form that calls it. */
export function toolPage(scope: Scope<unknown>): Page {
  return definePage<ToolFacts>({
    path: '/tools/:name',
    facts: async ({ params: { name = '' }, query, request }) => {
      const tool = toolFacts(scope, toolNamed(scope, name, request));
      const id = query.get('call');
      // By its id, and never by its arguments: a link of others could choose those.
      const given = id === null ? undefined : await scope.find(CallHistory)?.argumentsOf(id, tool.name);
      return given === undefined ? tool : { ...tool, given };
    },
    show: (tool, visit) => {
      const { form, faults } = givenAgain(argumentFields(tool.inputSchema), tool.given);
      const calls = callButtons(scope, { tool: tool.name });
      return { title: shown(tool.name), body: toolBody(tool, { ...visit, form }, { faults, calls }) };
    },
  });
}

export function toolFacts(scope: Scope<unknown>, tool: Tool): ToolFacts {
  const { name, kind, server, description, annotations = {}, inputSchema } = tool;
  return {
    name,
    kind,
    description,
    annotations,
    inputSchema,
    ...(server !== undefined && { server }),
    own: ownName(tool),
    tokens: tokensOf(tool),
    asksFirst: changes(tool),
    isPersonal: isPersonal(scope, tool),
  };
}

/** What the call of the form has led to. */
export interface FormOutcome {
  /** See ArgumentFormParts. */
  readonly faults: ReadonlyMap<string, string>;
  /** Why there is no answer, in words. */
  readonly refusal?: { readonly code: string; readonly message: string };
  readonly answer?: AnswerFacts;
  /** What leads to the calls of the tool. */
  readonly calls?: Html | undefined;
}

export function toolBody(tool: ToolFacts, visit: Visit, outcome: FormOutcome = { faults: new Map() }): Html {
  const { refusal, answer, faults, calls } = outcome;
  return html`${refusal && refusalSection(refusal)}${answer && answerSection(answer)}${aboutSection(tool, visit, calls)}
  ${section('Call it', callForm(tool, visit, faults))}
  ${section(
    'Input schema',
    html`<details data-keep="schema">
      <summary>JSON schema of the arguments</summary>
      ${output('Input schema', block(JSON.stringify(tool.inputSchema, null, 2), SCHEMA_CHARS))}
    </details>`,
  )}`;
}

const SCHEMA_CHARS = 65_536;

function aboutSection(tool: ToolFacts, visit: Visit, calls: Html | undefined): Html {
  const { name, kind, server, own, description, annotations, tokens } = tool;
  const hints = Object.entries(annotations).map(([hint, value]) =>
    shown(`${hint}: ${JSON.stringify(value)}`),
  );
  const workflow = kind === 'workflow' ? name.replace(/^workflow_/, '') : undefined;
  const off = server === undefined ? undefined : toolSwitch(visit, { server, own, isOn: true });
  const actions = [calls, off].filter((one) => one !== undefined);
  return section(
    'What it is',
    html`<p class="words">${block(description, 5_000)}</p>
      ${facts([
        ['Kind', kind],
        ['Server', server === undefined ? undefined : hyperlink(`/mcps/${inPath(server)}`, server)],
        [
          'Workflow',
          workflow === undefined ? undefined : hyperlink(`/workflows/${inPath(workflow)}`, workflow),
        ],
        ['Declared', hints.slice(0, 20).join(', ')],
        ['Takes of a context', `about ${counted(tokens, 'token')}`],
      ])}
      ${actions.length > 0 ? html`<div class="row actions">${actions}</div>` : undefined}`,
  );
}

function callForm(tool: ToolFacts, visit: Visit, faults: ReadonlyMap<string, string>): Html {
  const { name, inputSchema, asksFirst, isPersonal: isOfCallers } = tool;
  const fields = argumentFields(inputSchema);
  const note = html`<p class="hint">${callerWords(visit, isOfCallers)}</p>`;
  const more = takesMore(inputSchema);
  const none = fields.length === 0 && !more ? html`<p class="hint">It takes no arguments.</p>` : undefined;
  const parts = { action: `/tools/${inPath(name)}`, fields, takesMore: more, asksFirst, faults };
  return notOffered(visit, parts.action) ?? html`${note}${none}${argumentForm(visit, parts)}`;
}

/** The words on who calls it. */
function callerWords({ visitor }: Visit, isOfCallers: boolean): string {
  if (visitor !== undefined) return `As ${shown(visitor.shown, 60)}, with your own rights and sign-ins.`;
  return `As the operator, without a caller.${isOfCallers ? ` ${WITHOUT_CALLER.replace(/^t/, 'T')}.` : ''}`;
}

function refusalSection({ code, message }: NonNullable<FormOutcome['refusal']>): Html {
  return section('Not called', html`<p class="fault">${shown(message, 2_000)}</p>`, code);
}

function answerSection({ isError, ms, texts, structured, others, isCut }: AnswerFacts): Html {
  const parts = html`${texts.map((text) => output('Text', block(text, SCHEMA_CHARS)))}
  ${others.map((other) => html`<p>${shown(other, 300)}</p>`)}
  ${
    structured === undefined
      ? undefined
      : html`<h3>Structured content</h3>
          ${output('Structured content', block(structured, SCHEMA_CHARS))}`
  }
  ${isCut ? html`<p class="quiet">There is more: only 64 kB are shown.</p>` : undefined}`;
  return section(
    'Result',
    parts,
    html`${badge(isError ? 'error' : 'ok')} after ${ms.toLocaleString('en')} ms`,
  );
}
