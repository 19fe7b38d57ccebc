// Writes plugins/<name>/config.ts from schemas/config/<name>.schema.json. Before any build: code that uses a new key compiles afterwards.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const ROOT = new URL('../', import.meta.url);
const SCHEMAS = new URL('schemas/config/', ROOT);
const ENDING = '.schema.json';
const DOC_WIDTH = 105;

/** Each file and its text: the configuration of a plugin once its defaults are filled in. */
export async function configTypes() {
  const options = await resolveConfig(fileURLToPath(new URL('plugins/config.ts', ROOT)));
  const files = readdirSync(SCHEMAS).filter((file) => file.endsWith(ENDING));
  return Promise.all(
    files.map(async (file) => {
      const text = typesOf(
        JSON.parse(readFileSync(new URL(file, SCHEMAS), 'utf8')),
        `schemas/config/${file}`,
      );
      const path = `plugins/${file.slice(0, -ENDING.length)}/config.ts`;
      return { path, text: await format(text, { ...options, parser: 'typescript' }) };
    }),
  );
}

/** An interface for the schema and each object in it that has a title, which is its name. */
function typesOf(root, source) {
  const interfaces = new Map();

  function typeOf(schema) {
    if (schema.$ref !== undefined) return typeOf(root.$defs[schema.$ref.replace('#/$defs/', '')]);
    if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
    const values = schema.enum ?? ('const' in schema ? [schema.const] : undefined);
    if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
    return [schema.type]
      .flat()
      .map((type) => typeNamed(type, schema))
      .join(' | ');
  }
  function typeNamed(
    type,
    { title, description, properties, additionalProperties: others, items, required },
  ) {
    if (type === undefined) return 'unknown';
    if (type === 'integer') return 'number';
    if (type === 'array') return `readonly (${typeOf(items ?? {})})[]`;
    if (type !== 'object') return type;
    if (properties === undefined) return `Readonly<Record<string, ${typeOf(Object(others))}>>`;
    const members = Object.entries(properties).map(([key, value]) => {
      const isThere = value.default !== undefined || required?.includes(key);
      const own = typeOf({ ...value, description: undefined });
      return `${docOf(value)}readonly ${key}${isThere ? '' : '?'}: ${own};`;
    });
    const body = `{\n${members.join('\n')}\n}`;
    if (title === undefined) return body;
    const text = `${docOf({ description })}export interface ${title} ${body}\n`;
    if ((interfaces.get(title) ?? text) !== text)
      throw new Error(`${source}: two types have the title ${title}`);
    interfaces.set(title, text);
    return title;
  }

  if (typeOf(root) !== root.title) throw new Error(`${source} needs a title, which is the name of its type`);
  return [`// Generated from ${source} by npm run tables.\n`, ...[...interfaces.values()].reverse()].join('');
}

function docOf({ description }) {
  if (description === undefined) return '';
  const [first, ...rest] = description.match(new RegExp(`\\S.{0,${DOC_WIDTH}}(?!\\S)`, 'g'));
  return `/** ${[first, ...rest.map((line) => ` *  ${line}`)].join('\n')} */\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const { path, text } of await configTypes()) writeFileSync(new URL(path, ROOT), text);
