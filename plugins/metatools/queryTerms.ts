import { stem } from './stem.ts';
import { isSlip } from './spelling.ts';
import { alikeOf, longFormOf, withoutPhrases } from './synonyms.ts';
import { wordsOf } from './words.ts';

/** One word of a query and all that may stand for it. */
export interface Slot {
  /** As the query has it, in lower case. */
  readonly word: string;
  readonly term: string;
  /** Terms of the index with how much a match of each is worth, 0…1. */
  readonly weightByTerm: ReadonlyMap<string, number>;
  /** How much the slot itself is worth: common verbs say little. */
  readonly weight: number;
  /** Whether the term itself, a short form's long form or a slip of the pen led somewhere. */
  readonly isKnown: boolean;
}
/** What the index holds for a term, as far as the request may see it. */
export interface Vocabulary {
  has(term: string): boolean;
  /** Also terms that only hidden tools hold: ask has(). */
  terms(): Iterable<string>;
}

const ALIKE_WEIGHT = 0.55;
const SLIP_WEIGHT = 0.8;
const PREFIX_WEIGHT = 0.6;
const JOINED_WEIGHT = 1;
const COMMON_VERB_WEIGHT = 0.3;
const MAX_WORDS = 64;

const STOP_WORDS = new Set(
  (
    'a an the this that these those some any my your his her its our their me i you he she it we they them us mine who whom ' +
    'is are was were be been being am do does did doing done has have had having can could will would shall should may might must ' +
    'to of in on at by for from with without into onto as about over under up down out off than then so too very just also only ' +
    'and or but not no nor if when where how what which why there here please want wants need needs like let lets us give tell ' +
    'id ids using use used via within between through during before after each every all both few more most other such own same ' +
    'im ive id ill dont cant tool tools something anything somebody someone thing things'
  ).split(' '),
);
const COMMON_VERBS = new Set(
  ['get', 'list', 'show', 'fetch', 'retrieve', 'find', 'see', 'view', 'make', 'give', 'return'].map(stem),
);

/** The words of a query that count, each with its stand-ins. */
export function slotsOf(query: string, vocabulary: Vocabulary): Slot[] {
  const words = wordsOf(withoutPhrases(query)).slice(0, MAX_WORDS);
  const wordByTerm = new Map<string, string>();
  for (const word of words.filter((one) => !STOP_WORDS.has(one))) {
    const term = stem(word);
    if (!wordByTerm.has(term)) wordByTerm.set(term, word);
  }
  const terms = [...wordByTerm.keys()];
  return terms.flatMap((term, at) => {
    const around = { vocabulary, before: terms[at - 1], after: terms[at + 1] };
    return slotsOfTerm(term, around).map((slot) => ({ ...slot, word: wordByTerm.get(term) ?? term }));
  });
}

interface Around {
  readonly vocabulary: Vocabulary;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

function slotsOfTerm(term: string, around: Around): Omit<Slot, 'word'>[] {
  const { vocabulary } = around;
  const long = longFormOf(term);
  if (long === undefined) return [slotOf(term, around)];
  const own: [string, number][] = vocabulary.has(term) ? [[term, 1]] : [];
  return long.map((part) => ({
    term: part,
    weightByTerm: new Map([[part, 0.9], ...own]),
    weight: 1 / Math.sqrt(long.length),
    isKnown: own.length > 0 || vocabulary.has(part),
  }));
}

function slotOf(term: string, { vocabulary, before, after }: Around): Omit<Slot, 'word'> {
  const weightByTerm = new Map<string, number>();
  const isKnown = vocabulary.has(term);
  if (isKnown) weightByTerm.set(term, 1);
  for (const joined of [before && before + term, after && term + after]) {
    if (joined && vocabulary.has(joined)) weightByTerm.set(joined, JOINED_WEIGHT);
  }
  for (const alike of alikeOf(term) ?? []) {
    if (vocabulary.has(alike)) weightByTerm.set(alike, Math.max(weightByTerm.get(alike) ?? 0, ALIKE_WEIGHT));
  }
  const guessed = weightByTerm.size === 0 ? guesses(term, vocabulary) : [];
  for (const [guess, weight] of guessed) weightByTerm.set(guess, weight);
  const weight = COMMON_VERBS.has(term) ? COMMON_VERB_WEIGHT : 1;
  return { term, weightByTerm, weight, isKnown: isKnown || weightByTerm.size > 0 };
}

/** For a word nobody knows: slips of the pen first, then words that begin with it. */
function guesses(term: string, vocabulary: Vocabulary): [string, number][] {
  if (term.length < 3) return [];
  const slips: [string, number][] = [];
  const longer: [string, number][] = [];
  for (const known of vocabulary.terms()) {
    const slipped = known.length >= 4 && isLikelySlip(term, known);
    if ((slipped || known.startsWith(term)) && vocabulary.has(known)) {
      if (slipped) slips.push([known, SLIP_WEIGHT]);
      else longer.push([known, PREFIX_WEIGHT]);
    }
  }
  return slips.length > 0 ? slips : longer;
}

/** A wrong letter turns a short word into another word too easily; a missing, added or swapped one does not. */
function isLikelySlip(term: string, known: string): boolean {
  if (term.length < 4 || !isSlip(term, known, term.length >= 8 ? 2 : 1)) return false;
  return term.length >= 6 || term.length !== known.length || sorted(term) === sorted(known);
}

function sorted(word: string): string {
  return Array.from(word).sort().join('');
}
