/** The longest summary, in UTF-16 units. */
export const SUMMARY_CHARS = 200;
const READ_CHARS = 2_000;
const ELLIPSIS = '…';
/** Lines that go on as one sentence: the next one begins in lower case. */
const WRAPPED = /[^\S\n]*\n[^\S\n]*(?=\p{Ll})/gu;
/** Control characters, and those that make a line read in another order than it is written. */
const INVISIBLE = /\s*[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+\s*/gu;

/** @param most the longest summary, in UTF-16 units; SUMMARY_CHARS unless told otherwise */
export type SummaryOf = (description: string, most?: number) => string;

type Granularity = 'sentence' | 'word' | 'grapheme';
type SegmenterOf = (granularity: Granularity) => Intl.Segmenter;

/** What gives the first sentence of a description in one line; a longer one ends at a word, marked by `…`. */
export function createSummarizer(): SummaryOf {
  const segmenterOf = createSegmenters();
  return (description, most = SUMMARY_CHARS) => {
    if (most === 0) return '';
    const text = description.trim().slice(0, READ_CHARS).replace(WRAPPED, ' ');
    const line = (text.split('\n', 1)[0] ?? '').replace(INVISIBLE, ' ').trim();
    return shortened(firstSentence(line, segmenterOf), most, segmenterOf);
  };
}

/** Each is made when it is first needed: the first one takes ten milliseconds, by which the start would be later. */
function createSegmenters(): SegmenterOf {
  const made = new Map<Granularity, Intl.Segmenter>();
  return (granularity) => {
    const segmenter = made.get(granularity) ?? new Intl.Segmenter('en', { granularity });
    made.set(granularity, segmenter);
    return segmenter;
  };
}

/** A full stop within two letters of a space (e.g., i.e., vs.) ends no sentence. */
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
  return `${text.slice(0, cut).replace(/[\s,;:–—-]+$/u, '')}${ELLIPSIS}`;
}

/** Text without spaces ends between words, one endless word between characters as people see them. */
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
