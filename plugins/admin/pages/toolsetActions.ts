import { ConfigControl, GatewayError, isError, isGatewayError, placeText } from 'pegboard';
import { SettingsStore } from '../../contracts/settings.ts';
import type { Replaced } from '../../contracts/settings.ts';
import { html } from '../../kit/http/page.ts';
import { hyperlink } from '../../kit/pages/parts.ts';
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
  const { errors, diff } = rules;
  const next = '/toolsets';
  if (!wasShown(rules, visit)) {
    const text =
      'the text, the rules in force, or what it opens were changed since the preview, and nothing was written; look at the change, then write again';
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
    if (isGatewayError(error) && error.expose) return refused(parts, rules, { visit, error, isOfFile: true });
    throw error;
  }
}

/** Whether this is what was shown: without a digest, there must be no other change, and nothing that it opens. */
function wasShown({ digest, meanwhile, opens }: Rules, { form }: Visit): boolean {
  const previewed = form.get('previewed');
  return previewed === null ? meanwhile.length + opens.length === 0 : previewed === digest;
}

/** @throws GatewayError as SettingsStore does; CONFIG_INVALID if what was written cannot be put in force */
async function written({ scope }: ToolsetsParts, rules: Rules, { request }: Visit): Promise<string> {
  const { before, after, inForce, warnings } = rules;
  const name = 'admin_toolsets_write';
  let replaced: Replaced | undefined;
  const write = async (): Promise<string> => {
    replaced = await scope.get(SettingsStore).replace({ ...before }, { ...after }, inForce);
    return `the rules were written to ${replaced.path}`;
  };
  const message = await actAsOperator(scope, { name, args: { ...after }, run: write }, request);
  // Outside the call: a plugin that begins or ends because of it waits for calls.
  const { applied, issues } = await scope.get(ConfigControl).reload();
  if (applied) return [message, ...warnings].join('; ');
  const why = issues.filter(isError).map((issue) => `${placeText(issue) ?? 'config.yaml'}: ${issue.message}`);
  const undo = async (): Promise<string> => {
    await replaced?.undo();
    return 'config.yaml is as it was';
  };
  const undone = await actAsOperator(scope, { name, args: { ...before }, run: undo }, request);
  await scope.get(ConfigControl).reload();
  throw new GatewayError('CONFIG_INVALID', `it cannot be put in force, and ${undone}: ${why.join('; ')}`);
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
  {
    visit,
    error,
    isOfFile = false,
  }: { readonly visit: Visit; readonly error: GatewayError; readonly isOfFile?: boolean },
): Promise<Answered> {
  const { title, body } = toolsetsShown(parts, await toolsetsFacts(parts, rules, visit), visit);
  const where = isOfFile ? html` ${hyperlink('/config', 'Configuration')}` : undefined;
  const words = html`<p class="fault">${shown(error.message, 2_000)}${where}</p>`;
  return { error, facts: undefined, shown: { title, body: { text: words.text + body.text } } };
}
