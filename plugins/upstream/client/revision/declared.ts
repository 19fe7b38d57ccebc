import type { GatewayError, JsonObject } from 'pegboard';
import { ALL_TOPICS } from '../options.ts';
import type { Topic } from '../options.ts';

/** How much of what clients may be asked initialize declares: each capability with its modes, without, or none. */
export type Declared = 'modes' | 'plain' | 'nothing';

/** Less and less: what a strict server refuses at most, the next may pass. */
const FORMS: readonly Declared[] = ['modes', 'plain', 'nothing'];

/** Everything that any client may declare; requests that the actual client does not support are refused. `listChanged` of
 *  roots is left out: a server would answer that notification with a request that belongs to no call. */
const MODES: Readonly<Record<Topic, Readonly<Record<string, JsonObject>>>> = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
};

export function isDeclared(value: unknown): value is Declared {
  return FORMS.includes(value as Declared);
}

/** `capabilities` of initialize. */
export function capabilitiesFor(questions: readonly Topic[], declared: Declared): JsonObject {
  if (declared === 'nothing') return {};
  return Object.fromEntries(questions.map((topic) => [topic, declared === 'plain' ? {} : MODES[topic]]));
}

/** The forms to try in order, each with other capabilities. @param first the one that the server has accepted before */
export function formsFrom(first: Declared = 'modes', questions: readonly Topic[]): readonly Declared[] {
  const [given, ...less] = FORMS.slice(FORMS.indexOf(first));
  const textOf = (form: Declared): string => JSON.stringify(capabilitiesFor(questions, form));
  const texts = FORMS.map(textOf);
  return [given ?? 'modes', ...less.filter((form) => texts.indexOf(textOf(form)) === FORMS.indexOf(form))];
}

/** Invalid request, invalid params, internal error, parse error, as JSON-RPC 2.0 §5.1 numbers them. */
const REFUSALS: readonly unknown[] = [-32600, -32602, -32603, -32700];
const UNKNOWN_MEMBER =
  /(?:unrecogni[sz]ed|unknown|unexpected|additional|extra|extraneous)\W+(?:\w+\W+)?(?:field|propert|key|member|input|argument|capabilit)|not (?:permitted|allowed) .{0,40}propert/i;
/** A refusal of something else that initialize says. */
const OF_ELSE = /version|revision|session|not initialized/i;

/** Whether a server may have refused initialize because of the capabilities: some know only the members of their own revision. */
export function mayRefuseDeclared({ code, message, details }: GatewayError): boolean {
  if (code !== 'UPSTREAM_ERROR') return false;
  if (UNKNOWN_MEMBER.test(message)) return true;
  const { status, code: rpcCode } = details as { readonly status?: number; readonly code?: unknown };
  return (status === 400 || status === 422 || REFUSALS.includes(rpcCode)) && !OF_ELSE.test(message);
}

/** What clients cannot be asked of what `questions` allows; undefined if that is nothing. */
export function undeclared(questions: readonly Topic[], declared: Declared): string | undefined {
  if (declared === 'modes') return undefined;
  const asked = ALL_TOPICS.filter((topic) => questions.includes(topic));
  const names =
    declared === 'nothing'
      ? asked
      : asked.flatMap((topic) => {
          // Elicitation without modes is one by form. Source: MCP 2025-11-25, Elicitation
          const modes = Object.keys(MODES[topic]).filter((mode) => mode !== 'form');
          return modes.map((mode) => `${topic} (${mode})`);
        });
  return names.length === 0 ? undefined : names.join(', ');
}
