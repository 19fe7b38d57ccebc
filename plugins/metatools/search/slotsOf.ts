import { isSlip } from './isSlip.ts';
import type { Thesaurus } from './thesaurus/thesaurus.ts';
import { wordsOf } from '../../kit/text/wordsOf.ts';

/** One word, phrase or cue of a query with its stand-ins: all index terms that match it. */
export interface Slot {
  /** The text in the query, in lower case. */
  readonly word: string;
  readonly term: string;
  /** Stand-ins (terms of the index), each with the worth of a match, 0…1. */
  readonly weightByTerm: ReadonlyMap<string, number>;
  /** Weight of the slot itself: low for common verbs. */
  readonly weight: number;
  /** Whether it is probably an argument value (a number, a name, a quotation), not part of the task. */
  readonly isValue: boolean;
  /** Whether it is a meaning of several words together, in addition to their own slots. */
  readonly isCue: boolean;
  /** Stems of the words of a cue; empty otherwise. */
  readonly madeOf: readonly string[];
  /** Whether the term, its long form, a stand-in or a corrected typo is in the index. */
  readonly isKnown: boolean;
}
/** The terms of the index that are visible to the request. */
export interface Vocabulary {
  has(term: string): boolean;
  /** Terms that begin with the same letter, including terms of hidden tools only: check has(). */
  termsLike(term: string): readonly string[];
}

const SLIP_WEIGHT = 0.8;
const PREFIX_WEIGHT = 0.6;
const JOINED_WEIGHT = 1;
const WEAK_WEIGHT = 0.2;
/** Exponent that lowers the worth of each cue when a query has several. */
const CUE_CROWD = 0.25;
/** Worth of a phrase whose words occur in the query, but not as a phrase. */
const SCATTERED_WORTH = 0.5;
/** Number of letters from which a word may have two typos. */
const SLIPS_TWICE_FROM = 8;
const MAX_WORDS = 64;

/** The slots of a query: its significant words, phrases and cues. */
export function slotsOf(query: string, vocabulary: Vocabulary, thesaurus: Thesaurus): Slot[] {
  const parts = partsOf(query, thesaurus);
  const spoken = parts.filter(({ isCue }) => !isCue);
  const cueWorth = (parts.length - spoken.length) ** -CUE_CROWD;
  const values = valuesIn(query);
  return parts.flatMap((part) => {
    const { word, term, isCue, madeOf } = part;
    const at = spoken.indexOf(part);
    const near = { before: spoken[at - 1]?.term, after: spoken[at + 1]?.term };
    const around = { vocabulary, thesaurus, ...near, worth: isCue ? part.worth * cueWorth : part.worth };
    const slots = slotsOfTerm(term, around).map((slot) => ({
      ...slot,
      word,
      isCue,
      madeOf,
      isValue: values.has(word),
    }));
    return isCue ? slots.filter(({ isKnown }) => isKnown) : slots;
  });
}

interface Part {
  readonly word: string;
  /** A stem, the stems of a phrase, or the key of a cue. */
  readonly term: string;
  /** Cues only add to the words: a cue without a match is left out. */
  readonly isCue: boolean;
  readonly madeOf: readonly string[];
  readonly worth: number;
}

const SPOKEN = { worth: 1, isCue: false, madeOf: [] };

/** The significant words, known phrases and cues, each once. */
function partsOf(query: string, thesaurus: Thesaurus): readonly Part[] {
  const words = wordsOf(query).slice(0, MAX_WORDS);
  const stems = words.map(thesaurus.stem);
  const partByTerm = new Map<string, Part>();
  const inPhrase = new Set<number>();
  const company = new Set(stems);
  const cues = new Set<string>();
  const scattered = new Map<string, string>();
  for (const [at, own] of stems.entries()) {
    const word = words[at] ?? own;
    const phrase = inPhrase.has(at) ? undefined : thesaurus.phraseAt(stems, at);
    if (phrase !== undefined) {
      for (const place of phrase.places) inPhrase.add(place);
      const said = phrase.places.map((place) => words[place]).join(' ');
      if (!partByTerm.has(phrase.key)) {
        partByTerm.set(phrase.key, { ...SPOKEN, word: said, term: phrase.key });
      }
    }
    for (const { key, meant, beside } of thesaurus.cuesAt(own, company)) {
      const madeOf = [own, ...beside.flat().filter((one) => company.has(one))];
      if (!cues.has(meant)) partByTerm.set(key, { word, term: key, madeOf, worth: 1, isCue: true });
      cues.add(meant);
    }
    for (const key of thesaurus.scatteredAt(stems, at, company)) scattered.set(key, word);
    if (thesaurus.isStopWord(word) || partByTerm.has(own)) continue;
    if (inPhrase.has(at) && thesaurus.isWeak(own)) continue;
    partByTerm.set(own, { ...SPOKEN, word, term: own });
  }
  for (const [key, word] of scattered) {
    if (partByTerm.has(key)) continue;
    const madeOf = key.split(' ');
    partByTerm.set(key, { word, term: key, madeOf, worth: SCATTERED_WORTH, isCue: true });
  }
  return [...partByTerm.values()];
}

const QUOTED = /["“„«`]([^"”“„»«`]+)["”“»`]/gu;
const NAMED =
  /\b(?:of|for|about|by|from|between|with|named|called)\s+(?:the\s+)?((?:\p{Lu}[\p{L}\d]*[\s,]*(?:and\s+)?)+)/gu;
const NUMBER = /\d[\d.,:]*(?:st|nd|rd|th|am|pm|px|%)?/gu;

/** Words that are probably values: quotations, numbers, names after a preposition. */
function valuesIn(query: string): ReadonlySet<string> {
  const texts = [
    ...[...query.matchAll(QUOTED)].map(([, text = '']) => text),
    ...[...query.matchAll(NAMED)].map(([, text = '']) => text),
    ...(query.match(NUMBER) ?? []),
  ];
  return new Set(texts.flatMap(wordsOf));
}

interface Around {
  readonly vocabulary: Vocabulary;
  readonly thesaurus: Thesaurus;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Factor for the worth of its stand-ins, 0…1. */
  readonly worth: number;
}

type Bare = Pick<Slot, 'term' | 'weightByTerm' | 'weight' | 'isKnown'>;

function slotsOfTerm(term: string, around: Around): Bare[] {
  const { vocabulary, thesaurus } = around;
  const long = thesaurus.longFormOf(term);
  if (long === undefined) return [slotOf(term, around)];
  const own: [string, number][] = vocabulary.has(term) ? [[term, 1]] : [];
  return long.map((part) => ({
    term: part,
    weightByTerm: new Map([[part, 0.9], ...own]),
    weight: 1 / Math.sqrt(long.length),
    isKnown: own.length > 0 || vocabulary.has(part),
  }));
}

function slotOf(term: string, { vocabulary, thesaurus, before, after, worth: most }: Around): Bare {
  const weightByTerm = new Map<string, number>();
  const isKnown = vocabulary.has(term);
  if (isKnown) weightByTerm.set(term, 1);
  for (const joined of [before && before + term, after && term + after]) {
    if (joined && vocabulary.has(joined)) weightByTerm.set(joined, JOINED_WEIGHT);
  }
  for (const [standIn, worth] of thesaurus.standInsOf(term) ?? []) {
    if (vocabulary.has(standIn)) {
      weightByTerm.set(standIn, Math.max(weightByTerm.get(standIn) ?? 0, worth * most));
    }
  }
  const guessed = weightByTerm.size === 0 ? guesses(term, vocabulary) : [];
  for (const [guess, weight] of guessed) weightByTerm.set(guess, weight);
  const weight = thesaurus.isWeak(term) ? WEAK_WEIGHT : 1;
  return { term, weightByTerm, weight, isKnown: weightByTerm.size > 0 };
}

/** Terms for an unknown word: corrected typos, else terms that begin with the word. */
function guesses(term: string, vocabulary: Vocabulary): [string, number][] {
  if (term.length < 3 || term.includes(' ')) return [];
  const slips: [string, number][] = [];
  const longer: [string, number][] = [];
  const most = term.length < SLIPS_TWICE_FROM ? 1 : 2;
  for (const known of vocabulary.termsLike(term)) {
    const lengthened = known.length - term.length;
    if (lengthened < -most || (lengthened > most && !known.startsWith(term))) continue;
    const slipped = known.length >= 4 && isLikelySlip(term, known);
    if ((slipped || known.startsWith(term)) && vocabulary.has(known)) {
      if (slipped) slips.push([known, SLIP_WEIGHT]);
      else longer.push([known, PREFIX_WEIGHT]);
    }
  }
  return slips.length > 0 ? slips : longer;
}

/** Whether `term` is probably a typo of `known`. In short words a wrong letter does not count, as it often makes another
 *  word; a missing, added or swapped one does. */
function isLikelySlip(term: string, known: string): boolean {
  if (term.length < 4) return false;
  if (isSlip(term, known, 1))
    return term.length >= 6 || term.length !== known.length || sorted(term) === sorted(known);
  return (
    term.length >= SLIPS_TWICE_FROM &&
    isSlip(term, known, 2) &&
    (term.length !== known.length || sorted(term) === sorted(known))
  );
}

function sorted(word: string): string {
  return Array.from(word).sort().join('');
}
