import type { HookName } from './contracts/handlers.ts';
import { GatewayError } from './errors.ts';
import { isObject } from './lib/json.ts';

/** What the answers of taps have, and how to make one. */
const ANSWERS: Partial<Record<HookName, { readonly member: string; readonly fix: string }>> = {
  onConfigLoad: { member: 'resources', fix: 'return the draft, with definitions added' },
  onToolRegister: { member: 'invoke', fix: 'return the tool, or a copy with changes' },
  onRequest: { member: 'status', fix: 'return { status, headers?, body? } to answer now' },
  onCall: {
    member: 'json',
    fix: 'return textResult(text), jsonResult(value) or resultOf({ content }) of pegboard to answer now',
  },
};

/** @returns the value @throws GatewayError PLUGIN_CONTRACT if the hook cannot use what a tap returned */
export function checkedAnswer(plugin: string, hook: HookName, value: unknown): unknown {
  const answer = value === undefined ? undefined : ANSWERS[hook];
  if (answer === undefined) return value;
  if (isObject(value) && answer.member in value) return value;
  // The async hooks pass at null; a tool would be lost.
  if (value === null && hook !== 'onToolRegister') return undefined;
  const what = value === null ? 'null' : `a value of type ${typeof value}`;
  const text = `a tap of ${hook} of plugin ${plugin} returned ${what} that has no "${answer.member}"`;
  throw new GatewayError('PLUGIN_CONTRACT', `${text}; ${answer.fix}, or undefined to pass`);
}
