import { randomBytes } from 'node:crypto';

/** `<when>.<characters of text>.<characters of data>.<random>` */
const HANDLE = /^[0-9a-z]{9}\.([0-9a-z]{1,11})\.([0-9a-z]{1,11})\.[\w-]{22}$/;
/** One value of the vault holds so many characters; escaped at worst, they are six times as many bytes. */
export const PART_CHARS = 1_048_576;

/** What a handle says of its result, in characters. */
export interface Sizes {
  readonly text: number;
  /** 0 when the text is the data. */
  readonly data: number;
}

/** Handles are sorted by their age. @param ms since the epoch */
export function makeHandle({ text, data }: Sizes, ms: number): string {
  const when = ms.toString(36).padStart(9, '0');
  const random = randomBytes(16).toString('base64url');
  return `${when}.${text.toString(36)}.${data.toString(36)}.${random}`;
}

/** @returns undefined for what is no handle */
export function sizesIn(handle: string): Sizes | undefined {
  const [, text, data] = HANDLE.exec(handle) ?? [];
  return text === undefined || data === undefined
    ? undefined
    : { text: parseInt(text, 36), data: parseInt(data, 36) };
}

export function partsOf(chars: number): number {
  return Math.ceil(chars / PART_CHARS);
}
