import { randomBytes } from 'node:crypto';

/** `<when>.<characters of text>.<characters of data>.<random>` */
const HANDLE = /^[0-9a-z]{9}\.([0-9a-z]{1,11})\.([0-9a-z]{1,11})\.[\w-]{22}$/;
/** Characters per value in the vault; escaped, they take at most six times as many bytes. */
export const PART_CHARS = 1_048_576;

/** The sizes of a result in its handle, in characters. */
export interface Sizes {
  readonly text: number;
  /** 0 if the text is the data. */
  readonly data: number;
}

/** Creates a handle; handles sort by age. @param ms since the epoch */
export function makeHandle({ text, data }: Sizes, ms: number): string {
  const when = ms.toString(36).padStart(9, '0');
  const random = randomBytes(16).toString('base64url');
  return `${when}.${text.toString(36)}.${data.toString(36)}.${random}`;
}

/** @returns undefined if it is not a valid handle */
export function sizesIn(handle: string): Sizes | undefined {
  const [, text, data] = HANDLE.exec(handle) ?? [];
  return text === undefined || data === undefined
    ? undefined
    : { text: parseInt(text, 36), data: parseInt(data, 36) };
}

export function partsOf(chars: number): number {
  return Math.ceil(chars / PART_CHARS);
}
