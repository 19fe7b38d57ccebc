import { LineCounter, parseAllDocuments } from 'yaml';

/** The documents of YAML text: each after as many empty lines as precede it, so that places are those of the file. */
export function documentTexts(text: string): readonly string[] {
  if (!/^(---|\.\.\.)/m.test(text)) return [text];
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { uniqueKeys: false, lineCounter: lines });
  if (!Array.isArray(documents) || documents.length < 2) return [text];
  return documents.map(({ range }) => {
    const [start, , end] = range;
    return '\n'.repeat(lines.linePos(start).line - 1) + text.slice(start, end).replace(/^\.\.\.\s*$/m, '');
  });
}
