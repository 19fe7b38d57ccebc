import { isObject } from 'pegboard';
import { isInteger } from './integers.ts';

const REFERENCE = /^\s*\{\{\s*\.([A-Za-z0-9_][A-Za-z0-9_.[\]-]*)\s*\}\}\s*$/;

/** The path of a string that consists of exactly one `{{ .path }}`. */
export function soleReference(text: string): string | undefined {
  return REFERENCE.exec(text)?.[1];
}

/** Walks `a.b[0].c`. Own keys only. @throws Error with the reason. Source: requirement workflow.condition. */
export function navigate(root: unknown, path: string): unknown {
  let value = root;
  for (const segment of path.split('.')) {
    if (segment === '') continue;
    const bracket = segment.indexOf('[');
    const name = bracket === -1 ? segment : segment.slice(0, bracket);
    if (name !== '') value = field(value, name, path);
    if (bracket !== -1) value = indexed(value, segment, bracket, path);
  }
  return value;
}

function field(value: unknown, name: string, path: string): unknown {
  if (!isObject(value) || isInteger(value))
    throw new Error(`cannot access '${name}' in path '${path}': not an object`);
  if (!Object.hasOwn(value, name)) throw new Error(`path '${path}' not found`);
  return value[name];
}

function indexed(value: unknown, segment: string, from: number, path: string): unknown {
  let current = value;
  let at = from;
  while (at < segment.length) {
    if (segment[at] !== '[') throw new Error(`invalid index syntax in path '${path}'`);
    const end = segment.indexOf(']', at);
    if (end === -1) throw new Error(`unterminated index in path '${path}'`);
    const text = segment.slice(at + 1, end);
    if (!/^\d+$/.test(text)) throw new Error(`invalid array index "${text}" in path '${path}'`);
    if (!Array.isArray(current)) throw new Error(`cannot index '${segment}' in path '${path}': not an array`);
    const index = Number(text);
    if (index >= current.length) throw new Error(`index ${index} out of range in path '${path}'`);
    current = current[index];
    at = end + 1;
  }
  return current;
}
