import { isObject, messageOf } from 'pegboard';
import type { JsonObject } from 'pegboard';
import {
  applyEdits,
  findNodeAtLocation,
  modify,
  parse as parseJson,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { Edit, ParseError } from 'jsonc-parser';
import { TomlError, parse as parseToml } from 'smol-toml';
import { LineCounter, parseDocument } from 'yaml';
import { setInToml } from './setInToml.ts';

export type FormatName = 'json' | 'toml' | 'yaml';
export type KeyPath = readonly string[];

/** A text is not valid in its format. */
export class SyntaxFault extends Error {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

export interface Format {
  /** @throws SyntaxFault */
  readonly parse: (text: string) => JsonObject;
  /** Sets one entry, or removes it with undefined, and leaves everything else as it is, comments included.
   *  @param path keys of tables; `mcpServers` may also be a list of entries with a `name` */
  readonly set: (text: string, path: KeyPath, value: JsonObject | undefined) => string;
}

export const FORMATS: Readonly<Record<FormatName, Format>> = {
  json: { parse: readJson, set: setInJson },
  toml: { parse: readToml, set: setInToml },
  yaml: { parse: readYaml, set: setInYaml },
};

/** JSON with comments and trailing commas, as editors write it; an empty file is an empty object. */
function readJson(text: string): JsonObject {
  const errors: ParseError[] = [];
  const options = { allowTrailingComma: true, allowEmptyContent: true };
  const value: unknown = parseJson(text.replace(/^\uFEFF/, ' '), errors, options);
  const [first] = errors;
  if (first !== undefined) {
    const words = printParseErrorCode(first.error)
      .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase();
    throw faultAt(text, first.offset, words);
  }
  return objectOf(value);
}

function setInJson(text: string, path: KeyPath, value: JsonObject | undefined): string {
  const [, indent = '  '] = /^([ \t]+)\S/m.exec(text) ?? [];
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  const [, mark = '', bare = ''] = /^(\uFEFF?)([^]*)$/.exec(text) ?? [];
  const edits = value === undefined ? emptied(bare, path) : undefined;
  const edited = applyEdits(bare, edits ?? modify(bare, [...path], value, { formattingOptions }));
  return mark + (bare === '' ? `${edited}\n` : edited);
}

/** jsonc-parser leaves the comma behind the only entry of an object. */
function emptied(text: string, path: KeyPath): Edit[] | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const parent = root && findNodeAtLocation(root, path.slice(0, -1));
  if (parent?.children?.length !== 1) return undefined;
  const { offset, length } = parent;
  return findNodeAtLocation(parent, path.slice(-1)) && [{ offset, length, content: '{}' }];
}

function readToml(text: string): JsonObject {
  try {
    return parseToml(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [words = ''] = error.message.replace('Invalid TOML document: ', '').split('\n', 1);
    throw new SyntaxFault(words, error.line, error.column);
  }
}

function readYaml(text: string): JsonObject {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [first] = document.errors;
  if (first !== undefined) {
    const { line, col } = lines.linePos(first.pos[0]);
    if (first.code === 'MULTIPLE_DOCS')
      throw new SyntaxFault('a second document begins; put its servers into the first', line, col);
    throw new SyntaxFault(first.message.split(/ at line |\n/, 1)[0] ?? '', line, col);
  }
  try {
    return objectOf(document.toJS());
  } catch (error) {
    throw error instanceof SyntaxFault ? error : new SyntaxFault(messageOf(error), 1, 1);
  }
}

function setInYaml(text: string, path: KeyPath, value: JsonObject | undefined): string {
  const document = parseDocument(text);
  const [parent, name = ''] = [path.slice(0, -1), path.at(-1)];
  const siblings = (document.toJS() as JsonObject | null)?.[parent[0] ?? ''] ?? undefined;
  // Continue's file has a list.
  const list = siblings ?? (parent[0] === 'mcpServers' ? [] : {});
  if (siblings === undefined) document.setIn(parent, document.createNode(list));
  const found = Array.isArray(list)
    ? (list as unknown[]).findIndex((one) => isObject(one) && one['name'] === name)
    : name;
  const at = [...parent, found === -1 ? (list as unknown[]).length : found];
  if (value === undefined) document.deleteIn(at);
  else document.setIn(at, document.createNode(value));
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function objectOf(value: unknown): JsonObject {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  throw new SyntaxFault('the file must hold an object', 1, 1);
}

function faultAt(text: string, offset: number, words: string): SyntaxFault {
  const before = text.slice(0, offset).split('\n');
  return new SyntaxFault(words, before.length, (before.at(-1) ?? '').length + 1);
}
