import { ConfigControl, GatewayError, isError, isGatewayError, placeText } from 'pegboard';
import { SettingsStore } from '../../contracts/settings.ts';
import { html } from '../../kit/http/page.ts';
import { shown } from '../../kit/pages/words.ts';
import { actAsOperator } from '../data/actAsOperator.ts';
import { rulesOf } from '../data/whoSees.ts';
import type { Rules } from '../data/whoSees.ts';
import type { Action, Answered, Done, Visit } from '../web/definePage.ts';
import { toolsetsFacts, toolsetsShown } from './toolsetsPage.ts';
import type { ToolsetsParts } from './toolsetsPage.ts';

/** `POST /toolsets` shows what a change would do, `POST /toolsets/write` writes it to config.yaml. */
export function toolsetActions(parts: ToolsetsParts): readonly Action[] {
  return [
    { method: 'POST', path: '/toolsets', run: (visit) => preview(parts, visit) },
    { method: 'POST', path: '/toolsets/write', run: (visit) => write(parts, visit) },
  ];
}

async function preview(parts: ToolsetsParts, visit: Visit): Promise<Answered> {
  const facts = await toolsetsFacts(parts, sentRules(parts, visit), visit);
  return { facts, shown: toolsetsShown(parts, facts, visit) };
}

async function write(parts: ToolsetsParts, visit: Visit): Promise<Done | Answered> {
  const rules = sentRules(parts, visit);
  const { errors, meanwhile, diff } = rules;
  const next = '/toolsets';
  if (meanwhile.length > 0) {
    const text =
      'the rules were changed meanwhile, and nothing was written; look at the change, then write again';
    return refused(parts, rules, { visit, error: new GatewayError('STORE_CONFLICT', text) });
  }
  if (errors.length > 0) {
    const text = `nothing was written: ${errors.join('; ')}`;
    return refused(parts, rules, { visit, error: new GatewayError('TOOL_ARGUMENTS', text) });
  }
  if (diff.length === 0) return { message: 'the rules are as they were', next };
  try {
    return { message: await written(parts, rules, visit), next };
  } catch (error) {
    if (isGatewayError(error) && error.expose) return refused(parts, rules, { visit, error });
    throw error;
  }
}

/** @throws GatewayError as SettingsStore does; CONFIG_INVALID if what was written cannot be put in force */
async function written({ scope }: ToolsetsParts, rules: Rules, { request }: Visit): Promise<string> {
  const { before, after, warnings } = rules;
  const message = await actAsOperator(
    scope,
    {
      name: 'admin_toolsets_write',
      args: { ...after },
      run: async () =>
        `the rules were written to ${await scope.get(SettingsStore).replace({ ...before }, { ...after })}`,
    },
    request,
  );
  // Outside the call: a plugin that begins or ends because of it waits for calls.
  const { applied, issues } = await scope.get(ConfigControl).reload();
  if (applied) return [message, ...warnings].join('; ');
  const why = issues.filter(isError).map((issue) => `${placeText(issue) ?? 'config.yaml'}: ${issue.message}`);
  throw new GatewayError('CONFIG_INVALID', `${message}, and could not be put in force: ${why.join('; ')}`);
}

/** Browsers send line breaks as CRLF. */
function sentRules({ scope }: ToolsetsParts, { form }: Visit): Rules {
  const field = (key: string): string | undefined => form.get(key)?.replaceAll('\r\n', '\n');
  const [text, base] = [field('text'), field('base')];
  if (text === undefined)
    throw new GatewayError('REQUEST_MALFORMED', 'send the rules as YAML in the field text');
  return rulesOf(scope, { text: text.replace(/^\n/, ''), ...(base !== undefined && { base }) });
}

/** The form again, with what was sent: nothing is lost. */
async function refused(
  parts: ToolsetsParts,
  rules: Rules,
  { visit, error }: { readonly visit: Visit; readonly error: GatewayError },
): Promise<Answered> {
  const { title, body } = toolsetsShown(parts, await toolsetsFacts(parts, rules, visit), visit);
  const words = html`<p class="fault">${shown(error.message, 2_000)}</p>`;
  return { error, facts: undefined, shown: { title, body: { text: words.text + body.text } } };
}
