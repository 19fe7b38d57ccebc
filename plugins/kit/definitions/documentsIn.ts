import { isObject, readYaml } from 'pegboard';
import type { YamlSource } from 'pegboard';
import { LineCounter, parseAllDocuments } from 'yaml';

/** The documents of YAML text, and the items of each List, as `kubectl get -o yaml` writes it. Places are those of the file. Never throws. */
export function documentsIn(text: string, file: string): readonly YamlSource[] {
  return documentTexts(text).flatMap((part) => itemsOf({ ...readYaml(part, file), text }));
}

/** Each document after as many empty lines as precede it. */
function documentTexts(text: string): readonly string[] {
  if (!/^(---|\.\.\.)/m.test(text)) return [text];
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { uniqueKeys: false, lineCounter: lines });
  if (!Array.isArray(documents) || documents.length < 2) return [text];
  return documents.map(({ range }) => {
    const [start, , end] = range;
    return '\n'.repeat(lines.linePos(start).line - 1) + text.slice(start, end).replace(/^\.\.\.\s*$/m, '');
  });
}

function itemsOf(source: YamlSource): readonly YamlSource[] {
  const { value } = source;
  if (!isObject(value) || !/^(\w*)List$/.test(String(value['kind'])) || !Array.isArray(value['items']))
    return [source];
  return value['items'].map((item: unknown, at) => ({
    ...source,
    value: item,
    locate: (path) => source.locate(['items', at, ...path]),
  }));
}
