import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { parse } from 'yaml';
import { makeDirectory } from '../../../support/directory.ts';
import { freePort } from '../../../support/everything.ts';
import { typeVerb } from '../../../support/typeVerb.ts';

interface File {
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** What `pegboard add` came to, where no gateway runs. */
export interface Added {
  readonly code: number;
  readonly stderr: string;
  /** The definition; undefined if none was written. */
  readonly name?: string;
  readonly spec?: Readonly<Record<string, unknown>>;
  /** Its name, its command or URL, and its other keys as JSON. */
  readonly shown: string;
  /** Texts of files of secrets by name. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Types `pegboard add` in a configuration directory of its own. @param env variables */
export async function added(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Added> {
  const directory = makeDirectory({ 'config.yaml': `aggregator: { port: ${await freePort()} }\n` });
  // Registries are asked in tests of pins.
  const at = ['--unpinned', '--config-path', directory.path];
  const { code, stderr } = await typeVerb(['add', '--yes', ...at, ...words], env);
  const textsIn = (folder: string): Readonly<Record<string, string>> => {
    const names = existsSync(directory.at(folder)) ? readdirSync(directory.at(folder)) : [];
    return Object.fromEntries(
      names.map((name) => [name, readFileSync(directory.at(`${folder}/${name}`), 'utf8').trimEnd()]),
    );
  };
  const [text] = Object.values(textsIn('mcpservers'));
  const said = stderr.replaceAll(directory.path, 'DIR');
  if (text === undefined) return { code, stderr: said, shown: '', secrets: textsIn('secrets') };
  const { metadata, spec } = parse(text) as File;
  return {
    code,
    stderr: said,
    name: metadata.name,
    spec,
    shown: shownSpec(metadata.name, spec),
    secrets: textsIn('secrets'),
  };
}

function shownSpec(name: string, spec: Readonly<Record<string, unknown>>): string {
  const { type, command, url } = spec;
  const others = Object.entries(spec).filter(
    ([key]) => !['type', 'command', 'url', 'autoStart'].includes(key),
  );
  const rest = others.length === 0 ? '' : ` ${JSON.stringify(Object.fromEntries(others))}`;
  const run = command === undefined ? `${String(type)} ${String(url)}` : (command as string[]).join(' ');
  return `${name}: ${run}${rest}`;
}

/** The words of a line whose quotes stand around whole words. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
}
