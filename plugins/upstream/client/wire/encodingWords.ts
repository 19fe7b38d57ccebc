import { bodyWords } from './bodyWords.ts';

interface Encoded {
  /** `Content-Encoding` of a body that is not decoded; absent: `identity`. */
  readonly contentEncoding?: string | undefined;
  readonly decodingFault?: string | undefined;
}

/** What is wrong with the content encoding of an answer, for people; undefined if nothing is. */
export function encodingWords(
  { contentEncoding = 'identity', decodingFault }: Encoded,
  redact: (text: string) => string,
): string | undefined {
  if (contentEncoding.toLowerCase() === 'identity') return undefined;
  const header = `with Content-Encoding: ${bodyWords(redact(contentEncoding))}`;
  return decodingFault === undefined
    ? `${header}, which it was asked not to use; gzip, deflate and br are decoded`
    : `${header} and a body that cannot be decoded: ${decodingFault}`;
}

/** The same for a body that may be text in spite of its encoding, as with `Content-Encoding: utf-8`. */
export function garbledWords(
  encoded: Encoded,
  body: string,
  redact: (text: string) => string,
): string | undefined {
  const isGarbled = encoded.decodingFault !== undefined || body.includes('\ufffd');
  return isGarbled ? encodingWords(encoded, redact) : undefined;
}
