import { readdirSync } from 'node:fs';
import { packageFile, readSchema } from '../../kernel/index.ts';
import type { JsonObject } from '../../kernel/index.ts';

const SCHEMAS = packageFile('schemas/');

/** One schema file and its keys as schemas/README.md shows them. */
export interface Section {
  /** Path below schemas/. */
  readonly file: string;
  readonly heading: string;
  /** Key, values, default, meaning. */
  readonly rows: readonly (readonly string[])[];
}

/** config.schema.json, the plugins' schemas, the kinds' schemas; each in the order of its file. */
export function sections(): readonly Section[] {
  const named = (folder: string, heading: (name: string) => string): Section[] =>
    readdirSync(new URL(folder, SCHEMAS))
      .sort()
      .map((file) => sectionOf(`${folder}${file}`, heading(file.replace('.schema.json', ''))));
  return [
    sectionOf('config.schema.json', 'config.yaml'),
    ...named('config/', (name) => `Plugin ${name}`),
    ...named('kinds/', kindHeading),
  ];
}

/** The second half of schemas/README.md; `npm run tables` writes it. */
export function markdown(): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join(' | ')} |`;
  return sections()
    .map(({ heading, file, rows }) => {
      const table = [['key', 'values', 'default', 'meaning'], ['-', '-', '-', '-'], ...rows].map(line);
      return `### ${heading}\n\n[${file}](${file})\n\n${table.join('\n')}\n`;
    })
    .join('\n');
}

/** The title of a kind's schema is its name. */
function kindHeading(name: string): string {
  const { title } = readJson(`kinds/${name}.schema.json`);
  return `Kind ${typeof title === 'string' ? title : name}`;
}

function sectionOf(file: string, heading: string): Section {
  const root = readJson(file);
  return { file, heading, rows: rowsOf(root, root, '') };
}

function rowsOf(schema: JsonObject, root: JsonObject, prefix: string): string[][] {
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonObject>>).flatMap(
    ([key, value]) => {
      const own = resolved(value, root);
      const path = `${prefix}${key}`;
      const fallback = 'default' in own ? code(JSON.stringify(own['default'])) : '–';
      const row = [code(path), valuesOf(own), required.includes(key) ? 'required' : fallback, meaningOf(own)];
      return [row, ...rowsBelow(own, root, path)];
    },
  );
}

function rowsBelow(schema: JsonObject, root: JsonObject, path: string): string[][] {
  const inner = ['additionalProperties', 'items'].flatMap((keyword) => {
    const value = schema[keyword];
    if (typeof value !== 'object' || value === null) return [];
    return rowsOf(
      resolved(value as JsonObject, root),
      root,
      keyword === 'items' ? `${path}[].` : `${path}.*.`,
    );
  });
  return [...rowsOf(schema, root, `${path}.`), ...inner];
}

function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  const name = /^#\/\$defs\/(.+)$/.exec(String(schema['$ref']))?.[1];
  if (name === undefined) return schema;
  // A description beside $ref is more specific than that of its target.
  return { ...(root['$defs'] as Readonly<Record<string, JsonObject>>)[name], ...schema };
}

function valuesOf(schema: JsonObject): string {
  const { enum: allowed, const: only, type, minimum, maximum, anyOf } = schema;
  if (Array.isArray(allowed)) return allowed.map((value) => code(String(value))).join(', ');
  if (only !== undefined) return code(JSON.stringify(only));
  if (Array.isArray(anyOf)) return (anyOf as readonly JsonObject[]).map(valuesOf).join(' or ');
  const words = [type].flat().map(String).join(' or ');
  if (typeof minimum !== 'number') return words;
  return typeof maximum === 'number' ? `${words} ${minimum}–${maximum}` : `${words} from ${minimum}`;
}

function meaningOf({ description }: JsonObject): string {
  return typeof description === 'string' ? description : '';
}

function code(text: string): string {
  return `\`${text}\``;
}

function readJson(file: string): JsonObject {
  return readSchema(file.replace('.schema.json', ''));
}
