import { HIDDEN, plainText } from 'pegboard';

const MAX_CHARS = 300;

/** What a provider has said about an error, for the log: in one line, and without e-mail addresses. */
export function providerWords(text: string): string {
  const start = plainText(text).slice(0, MAX_CHARS);
  return start.replaceAll(/[^\s@]{1,64}@\S{1,255}/g, HIDDEN);
}
