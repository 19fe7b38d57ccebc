import { once } from '../search/once.ts';

/** The longest summary, in UTF-16 units. */
export const SUMMARY_CHARS = 200;
const READ_CHARS = 2_000;
const ELLIPSIS = '…';
/** Lines that go on as one sentence: the next one begins in lower case. */
const WRAPPED = /[^\S\n]*\n[^\S\n]*(?=\p{Ll})/gu;
/** Control characters, and those that make a line read in another order than it is written. */
const INVISIBLE = /\s*[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+\s*/gu;

const sentences = once(() => new Intl.Segmenter('en', { granularity: 'sentence' }));
const words = once(() => new Intl.Segmenter('en', { granularity: 'word' }));
const graphemes = once(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));

/** The first sentence in one line; what is longer than `most` ends at a word, marked by `…`. */
export function summaryOf(description: string, most = SUMMARY_CHARS): string {
  const text = description.trim().slice(0, READ_CHARS).replace(WRAPPED, ' ');
  const line = (text.split('\n', 1)[0] ?? '').replace(INVISIBLE, ' ').trim();
  return shortened(firstSentence(line), most);
}

/** A full stop within two letters of a space (e.g., i.e., vs.) ends no sentence. */
function firstSentence(line: string): string {
  let sentence = '';
  for (const { segment } of sentences().segment(line)) {
    sentence += segment;
    if (!/(?:^|[\s(])(?:\p{L}\.){1,3}\s*$|\b(?:vs|etc|incl|approx)\.\s*$/iu.test(sentence)) break;
  }
  return sentence.trim();
}

function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const room = most - ELLIPSIS.length;
  const end = text.slice(0, room + 1).search(/\s\S*$/);
  const cut = end > room / 2 ? end : endOfSegments(text, room);
  return `${text.slice(0, cut).replace(/[\s,;:–—-]+$/u, '')}${ELLIPSIS}`;
}

/** Text without spaces ends between words, one endless word between characters as people see them. */
function endOfSegments(text: string, room: number): number {
  const within = text.slice(0, 2 * room);
  return lastEnd(words(), within, room) || lastEnd(graphemes(), within, room);
}

function lastEnd(segmenter: Intl.Segmenter, text: string, room: number): number {
  let end = 0;
  for (const { index, segment } of segmenter.segment(text)) {
    if (index + segment.length > room) break;
    end = index + segment.length;
  }
  return end;
}
