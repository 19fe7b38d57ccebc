import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Issue } from '../contracts/config.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { Origin } from '../contracts/resource.ts';
import type { Settings } from '../contracts/settings.ts';
import { messageOf } from '../errors.ts';
import { readSchema } from '../lib/readSchema.ts';
import { unreadCertificates } from '../lib/trustedCertificates.ts';
import { readYaml } from '../lib/readYaml.ts';
import { validate } from './validate.ts';
import { isObject, withValue } from '../lib/json.ts';

const ROOT_SCHEMA = readSchema('config');
const NOTHING = { text: '', isHeld: () => false };

export interface LoadedSettings {
  /** Undefined when there are errors. */
  readonly settings: Settings | undefined;
  /** If it can be read, but does not conform: the settings with defaults in place of what is wrong, to check plugins by. */
  readonly rest?: Settings;
  readonly origin: Origin;
  readonly issues: readonly Issue[];
  /** config.yaml; empty if it is missing. */
  readonly text: string;
}

/** Defaults, then config.yaml, then each overlay. Never throws.
 *  @param overlays called with the content of config.yaml; returns the settings to merge over it
 *  @param inForce its text in force: unless that is empty, a blank one is an error, else it means the defaults; and whether
 *  the file may be half written
 *  @param placed locates what the overlays say */
export async function loadSettings(
  directory: string,
  overlays: (file: JsonObject) => readonly unknown[],
  inForce: { readonly text: string; readonly isHeld: (text: string) => boolean } = NOTHING,
  placed = (source: Origin): Origin => source,
): Promise<LoadedSettings> {
  const file = join(directory, 'config.yaml');
  const unreadable = (message: string): LoadedSettings => {
    const issue: Issue = { severity: 'error', code: 'CONFIG_UNREADABLE', file, message };
    return { settings: undefined, origin: { locate: () => ({ file }) }, issues: [issue], text: '' };
  };
  let text = '';
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (error) {
    if (error instanceof TypeError) return unreadable('the file is not UTF-8 text; save it as UTF-8');
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      return unreadable(`config.yaml cannot be read: ${messageOf(error)}`);
  }
  if (inForce.isHeld(text))
    return unreadable('config.yaml may be half written; until it is whole, its last settings stay');
  // A file that ends in a key may be half written.
  if (inForce.text.trim() !== '' && /^\s*$|(^|\n)\w+:\s*$/.test(text))
    return unreadable(
      'config.yaml is empty, cut or gone; its last settings stay in force: restore it, or restart for defaults',
    );
  const source = readYaml(text, file);
  if (source.issues.length > 0) return { settings: undefined, origin: source, issues: source.issues, text };
  const said = withoutNull(source.value ?? {});
  // The file is validated alone first, because a flag could hide an error in it.
  const alone = validate(ROOT_SCHEMA, said);
  const { value, findings } =
    alone.findings.length > 0
      ? alone
      : validate(ROOT_SCHEMA, overlays(said as JsonObject).reduce(merge, said));
  const origin = alone.findings.length > 0 ? source : placed(source);
  const issues = findings.map(({ path, message }): Issue => {
    return { severity: 'error', code: 'CONFIG_INVALID', message, ...origin.locate(path) };
  });
  const settings = issues.length === 0 ? (value as Settings) : undefined;
  const without = findings.reduce((all, { path }) => withValue(all, path, undefined), said as JsonObject);
  const rest = validate(ROOT_SCHEMA, JSON.parse(JSON.stringify(without)));
  const insecure = await writableByOthers(directory, file);
  const untrusted = unreadCertificates(settings, directory, origin);
  const partial = rest.findings.length === 0 ? { rest: rest.value as Settings } : {};
  return { settings, ...partial, origin, issues: [...issues, ...insecure, ...untrusted], text };
}

/** Definitions contain commands, which run as Pegboard's user. */
async function writableByOthers(...paths: readonly string[]): Promise<readonly Issue[]> {
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return paths.flatMap((file, at): Issue[] => {
    if (((found[at]?.mode ?? 0) & 0o002) === 0) return [];
    const message = `every user of this machine can write it, and so have commands run; run: chmod o-w ${file}`;
    return [{ severity: 'warning', code: 'CONFIG_INVALID', message, file }];
  });
}

/** The settings of an empty config.yaml. */
export function defaultSettings(): Settings {
  return validate(ROOT_SCHEMA, {}).value as Settings;
}

interface SectionSchema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, SectionSchema>>;
}

/** A section that contains only comments is null in YAML; it counts as missing. A list must be written as []: without the rules of
 *  `access`, everyone could call everything. */
function withoutNull(value: unknown, schema: SectionSchema = ROOT_SCHEMA): unknown {
  if (!isObject(value)) return value;
  const isMissing = (key: string): boolean => {
    const type = schema.properties?.[key]?.type;
    return schema === ROOT_SCHEMA ? type !== 'array' : type === 'object';
  };
  const written = Object.entries(value).filter(([key, section]) => section !== null || !isMissing(key));
  return Object.fromEntries(
    written.map(([key, section]) => [key, withoutNull(section, schema.properties?.[key] ?? {})]),
  );
}

/** Objects merge key by key, anything else is replaced. */
function merge(base: unknown, overlay: unknown): unknown {
  if (!isObject(overlay) || !isObject(base)) return overlay;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(overlay)) merged[key] = merge(base[key], value);
  return merged;
}
