import { LineCounter, isMap, isNode, isPair, isScalar, isSeq, parseAllDocuments } from 'yaml';
import type { Document } from 'yaml';
import type { Issue } from '../contracts/config.ts';
import type { Origin, Position } from '../contracts/resource.ts';
import { pathBelow } from '../lib/json.ts';

type Path = readonly (string | number)[];
/** Far above any definition that is meant, far below what the parser's recursion dies of. */
const MAX_LEVELS = 256;
const TOO_DEEP = `it is nested deeper than ${MAX_LEVELS} levels; write it flatter`;

/** YAML text as a value that knows where each part stands. */
export interface YamlSource extends Origin {
  readonly file: string;
  readonly value: unknown;
  /** Syntax errors; `value` is undefined when there are any. */
  readonly issues: readonly Issue[];
}

/** Parses one YAML 1.2 document. Duplicate keys, alias bombs and a second document are issues. Never throws. */
export function readYaml(text: string, file: string): YamlSource {
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const problem = (message: string, offset: number): Issue => ({
    severity: 'error',
    code: 'CONFIG_UNREADABLE',
    message,
    ...at(offset),
  });
  const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  const documents = Array.isArray(parsed) ? parsed : [];
  const [document] = documents as Document.Parsed[];
  if (document === undefined) return { file, value: undefined, issues: [], locate: () => ({ file }) };
  const issues = documents.flatMap(({ errors }) =>
    errors.map((error) => problem(textOf(error), error.pos[0])),
  );
  const tooDeep = issues.find(({ message }) => message === TOO_DEEP);
  if (tooDeep !== undefined) issues.splice(0, issues.length, tooDeep);
  const second = documents[1];
  if (second !== undefined)
    issues.push(problem('a second document begins here; use one file per definition', second.range[0]));
  let value: unknown;
  try {
    if (issues.length === 0) value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    issues.push(problem(textOf(error as Error), document.range[0]));
  }
  const below = pathBelow(value, MAX_LEVELS);
  if (below !== undefined) issues.push(problem(TOO_DEEP, offsetOf(document, below)));
  return {
    file,
    value: below === undefined ? value : undefined,
    issues,
    locate: (path) => at(offsetOf(document, path)),
  };
}

/** The first line; the parser takes its own overflow for an error of the text. */
function textOf({ message }: Error): string {
  if (message.startsWith('Maximum call stack')) return TOO_DEEP;
  return message.split('\n', 1)[0] ?? message;
}

/** Offset of the key or item at `path`, or of its nearest parent that exists. */
function offsetOf(document: Document.Parsed, path: Path): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range[0] ?? 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (!isPair(pair)) return offset;
      if (isNode(pair.key) && pair.key.range) offset = pair.key.range[0];
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      if (!isNode(node) || !node.range) return offset;
      offset = node.range[0];
    } else return offset;
  }
  return offset;
}
