/** Whether what a condition prints is true. Nothing is false: `{{ if … }}true{{ end }}` prints it.
 *  @returns undefined if it is neither true nor false */
export function truthIn(text: string): boolean | undefined {
  const word = text.trim();
  if (word === 'true') return true;
  return word === 'false' || word === '' ? false : undefined;
}
