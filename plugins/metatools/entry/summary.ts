/** The longest summary, in UTF-16 units. */
export const SUMMARY_CHARS = 200;
const READ_CHARS = 2_000;
const ELLIPSIS = '…';
/** Line breaks inside a sentence: the next line begins in lower case. */
const WRAPPED = /(?<![^\S\n])[^\S\n]*\n[^\S\n]*(?=\p{Ll})/gu;
/** Control characters, and those that change the direction of text. */
const INVISIBLE = /(?<!\s)\s*[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+\s*/gu;

/** @param most the longest summary, in UTF-16 units; default SUMMARY_CHARS */
export type SummaryOf = (description: string, most?: number) => string;

type Granularity = 'sentence' | 'word' | 'grapheme';
type SegmenterOf = (granularity: Granularity) => Intl.Segmenter;

/** Creates a function that returns the first sentence of a description in one line, cut at a word with `…`. */
export function createSummarizer(): SummaryOf {
  const segmenterOf = createSegmenters();
  return (description, most = SUMMARY_CHARS) => {
    if (most === 0) return '';
    const text = description.trim().slice(0, READ_CHARS).replace(WRAPPED, ' ');
    const line = (text.split('\n', 1)[0] ?? '').replace(INVISIBLE, ' ').trim();
    return shortened(firstSentence(line, segmenterOf), most, segmenterOf);
  };
}

/** Creates each segmenter on first use: the first one takes ten milliseconds, which would delay the start. */
function createSegmenters(): SegmenterOf {
  const made = new Map<Granularity, Intl.Segmenter>();
  return (granularity) => {
    const segmenter = made.get(granularity) ?? new Intl.Segmenter('en', { granularity });
    made.set(granularity, segmenter);
    return segmenter;
  };
}

/** The first sentence of a line; the full stop of an abbreviation (e.g., i.e., vs.) does not end it. */
function firstSentence(line: string, segmenterOf: SegmenterOf): string {
  let sentence = '';
  for (const { segment } of segmenterOf('sentence').segment(line)) {
    sentence += segment;
    if (!/(?:^|[\s(])(?:\p{L}\.){1,3}\s*$|\b(?:vs|etc|incl|approx)\.\s*$/iu.test(sentence)) break;
  }
  return sentence.trim();
}

function shortened(text: string, most: number, segmenterOf: SegmenterOf): string {
  if (text.length <= most) return text;
  const room = most - ELLIPSIS.length;
  const end = text.slice(0, room + 1).search(/\s\S*$/);
  const cut = end > room / 2 ? end : endOfSegments(text, room, segmenterOf);
  return `${text.slice(0, cut).replace(/(?<![\s,;:–—-])[\s,;:–—-]+$/u, '')}${ELLIPSIS}`;
}

/** Cuts text without spaces between words, and a single long word between user-perceived characters. */
function endOfSegments(text: string, room: number, segmenterOf: SegmenterOf): number {
  const within = text.slice(0, 2 * room);
  return lastEnd(segmenterOf('word'), within, room) || lastEnd(segmenterOf('grapheme'), within, room);
}

function lastEnd(segmenter: Intl.Segmenter, text: string, room: number): number {
  let end = 0;
  for (const { index, segment } of segmenter.segment(text)) {
    if (index + segment.length > room) break;
    end = index + segment.length;
  }
  return end;
}
