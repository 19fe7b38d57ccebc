import { HIDDEN } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { fieldText } from './argumentFields.ts';
import type { ArgumentField } from './argumentFields.ts';
import { ARGUMENT, MORE } from './readFormArguments.ts';

/** The form of a tool as if the arguments of a former call had been typed; what was hidden is left to be typed again. */
export function givenAgain(
  fields: readonly ArgumentField[],
  given: JsonObject = {},
): { readonly form: URLSearchParams; readonly faults: ReadonlyMap<string, string> } {
  const form = new URLSearchParams();
  const faults = new Map<string, string>();
  const known = new Set(fields.map(({ name }) => name));
  const more: JsonObject = Object.fromEntries(Object.entries(given).filter(([name]) => !known.has(name)));
  const put = (field: string, fault: string, text: string): void => {
    if (text.includes(HIDDEN)) faults.set(fault, 'part of this was hidden; enter it again');
    form.set(field, text === HIDDEN ? '' : text);
  };
  for (const [name, value] of Object.entries(given))
    if (known.has(name)) put(ARGUMENT + name, name, fieldText(value));
  if (Object.keys(more).length > 0) put(MORE, MORE, JSON.stringify(more));
  return { form, faults };
}
