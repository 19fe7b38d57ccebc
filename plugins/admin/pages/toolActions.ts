import { CallPath, GatewayError, isGatewayError } from 'pegboard';
import type { Scope } from 'pegboard';
import { argumentFields, takesMore } from '../data/argumentFields.ts';
import { callFacts, hiderFor } from '../data/answerFacts.ts';
import { MORE, readFormArguments } from '../data/readFormArguments.ts';
import { toolNamed } from '../data/tools.ts';
import { CONFIRM } from '../web/argumentForm.ts';
import type { Action, Answered, Visit } from '../web/definePage.ts';
import { shown } from '../../kit/pages/words.ts';
import { toolBody, toolFacts } from './toolPage.ts';
import type { FormOutcome } from './toolPage.ts';

/** `POST /tools/<name>`: calls a tool as the operator and shows what it answers. */
export function toolActions(scope: Scope<unknown>): readonly Action[] {
  return [{ method: 'POST', path: '/tools/:name', run: (visit) => call(scope, visit) }];
}

async function call(scope: Scope<unknown>, visit: Visit): Promise<Answered> {
  const { params, form, request } = visit;
  const tool = toolNamed(scope, params['name'] ?? '', request);
  const facts = toolFacts(scope, tool);
  const fields = argumentFields(tool.inputSchema);
  const { args, faults } = readFormArguments(fields, form);
  const confirmed = form.get(CONFIRM) === 'yes' || !facts.asksFirst;
  const wrong = new Map(
    confirmed ? faults : [...faults, [CONFIRM, 'tick this box, or send confirm=yes, to call the tool']],
  );
  const answered = (outcome: FormOutcome, error?: GatewayError): Answered => ({
    shown: { title: shown(tool.name), body: toolBody(facts, visit, outcome) },
    facts: outcome.answer,
    ...(error && { error }),
  });
  if (wrong.size > 0) {
    const words = [...wrong].map(([name, fault]) => `${shown(name)}: ${fault}`).join('; ');
    return answered({ faults: wrong }, new GatewayError('TOOL_ARGUMENTS', words));
  }
  const hide = hiderFor(scope, { tool, args, fields, request });
  const startedAt = performance.now();
  try {
    const result = (await scope.get(CallPath).run(tool, args, request)).value();
    return answered({ faults: wrong, answer: callFacts(result, performance.now() - startedAt, hide) });
  } catch (error) {
    if (!isGatewayError(error) || !error.expose) throw error;
    const { code } = error;
    const message = hide(error.message);
    const known = new Set([
      ...fields.map(({ name }) => name),
      ...(takesMore(tool.inputSchema) ? [MORE] : []),
    ]);
    const refused = new GatewayError(code, message);
    return answered({ faults: faultsIn(error, known), refusal: { code, message } }, refused);
  }
}

/** What is wrong with the arguments, beside their fields. */
function faultsIn(error: GatewayError, known: ReadonlySet<string>): ReadonlyMap<string, string> {
  const { findings = [] } = error.details as {
    readonly findings?: readonly { path: readonly unknown[]; message: string }[];
  };
  const named = findings.map(({ path: [name], message }) => [String(name), message] as const);
  return new Map(named.filter(([name]) => known.has(name)));
}
