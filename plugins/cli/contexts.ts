import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, messageOf } from 'pegboard';
import { parse, stringify } from 'yaml';
import { Failure } from './failure.ts';
import { writePrivate } from './files.ts';

export interface Context {
  readonly name: string;
  readonly endpoint: string;
}
export interface Contexts {
  readonly current: string | undefined;
  readonly contexts: readonly Context[];
}

const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The gateways of this user: contexts.yaml in the configuration directory, mode 0600. */
export function contextsFile(directory: string): string {
  return join(directory, 'contexts.yaml');
}

/** @throws Failure if the file cannot be read */
export async function readContexts(directory: string): Promise<Contexts> {
  const file = contextsFile(directory);
  let value: unknown;
  try {
    value = parse(await readFile(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: undefined, contexts: [] };
    throw new Failure(`${file}: ${messageOf(error).split('\n', 1)[0] ?? ''}; correct or remove the file`);
  }
  const { 'current-context': current, contexts } = isObject(value) ? value : {};
  const list = Array.isArray(contexts) ? (contexts as unknown[]) : [];
  const isContext = (one: unknown): one is Context =>
    isObject(one) && typeof one['name'] === 'string' && typeof one['endpoint'] === 'string';
  if (!list.every(isContext))
    throw new Failure(`${file}: contexts must be a list of {name, endpoint}; correct or remove the file`);
  return { current: typeof current === 'string' ? current : undefined, contexts: list };
}

/** @throws Failure if the file cannot be written */
export async function writeContexts(directory: string, { current, contexts }: Contexts): Promise<void> {
  const text = stringify({ ...(current !== undefined && { 'current-context': current }), contexts });
  await writePrivate(contextsFile(directory), text);
}

/** @throws Failure */
export function checkedName(name: string): string {
  if (NAME.test(name)) return name;
  throw new Failure(`${JSON.stringify(name)} is not a name: use 1–63 lower-case letters, digits and hyphens`);
}

/** @throws Failure */
export function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text;
  throw new Failure(
    `${JSON.stringify(text)} is not a URL of a gateway; write it as http://localhost:8090/mcp`,
  );
}
