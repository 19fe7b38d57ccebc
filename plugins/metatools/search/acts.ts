import type { Thesaurus } from './thesaurus/thesaurus.ts';
import { wordsOf } from '../../kit/text/wordsOf.ts';

/** Words in the position of a request's verb: at the beginning of a clause, after `please`, `you`, `to`. */
const LEADS =
  /(?=\p{L})(?<=^|[,;.!?:]\s+|\b(?:please|pls|you|to|and|then|just|now|so|lets|let's|i'll|we'll)\s+)\p{L}+/giu;

const OBJECT_WORDS = 6;

/** The acts that a query requests, as in the list acts; empty if its verbs have none. */
export function askedActs(query: string, thesaurus: Thesaurus): ReadonlySet<string> {
  const leads = query.match(LEADS) ?? [];
  return new Set(leads.flatMap((verb) => actsOfVerb(verb, thesaurus)));
}

/** The words after each verb of a request, which include the object of the request. */
export function askedObjects(query: string, thesaurus: Thesaurus): readonly (readonly string[])[] {
  const verbs = [...query.matchAll(LEADS)].filter(([verb]) => actsOfVerb(verb, thesaurus).length > 0);
  return verbs.map(({ 0: verb, index }) => wordsOf(query.slice(index + verb.length)).slice(0, OBJECT_WORDS));
}

/** Whether a tool's name implies a different act than the requested one, such as reading instead of writing. */
export function isAgainst(
  asked: ReadonlySet<string>,
  nameStems: readonly string[],
  thesaurus: Thesaurus,
): boolean {
  if (asked.size === 0) return false;
  const own = new Set(nameStems.flatMap((one) => thesaurus.actsOf(one)));
  if (own.size === 0 || [...asked].some((act) => own.has(act))) return false;
  if (asked.has('read')) return asked.size === 1;
  return isOnly(own, 'read') || isOnly(own, 'remove') || isOnly(asked, 'remove');
}

function actsOfVerb(verb: string, thesaurus: Thesaurus): readonly string[] {
  return thesaurus.actsOf(thesaurus.stem(verb.toLowerCase()));
}

function isOnly(acts: ReadonlySet<string>, act: string): boolean {
  return acts.size === 1 && acts.has(act);
}
