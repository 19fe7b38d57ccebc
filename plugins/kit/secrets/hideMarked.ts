import { HIDDEN, replaceMarked } from 'pegboard';
import type { JsonSchema } from 'pegboard';
import { nameOf } from './names.ts';
import { holdsOnlyReferences } from './references.ts';
import { hideInUrl, isHidden } from './secretPlaces.ts';

/** replaceMarked() for people: references and empty texts stay, an address loses its secret parts only. */
export function hideMarked(schema: JsonSchema, value: unknown, mark: string = HIDDEN): unknown {
  const hide = (text: string): string => (isHidden(text) ? text : mark);
  return replaceMarked(schema, value, (given, { isAddress, path }) => {
    if (typeof given !== 'string') return mark;
    if (isAddress) return hideInUrl(given, hide);
    return given === '' || holdsOnlyReferences(given, nameOf(path)) ? given : hide(given);
  });
}
