import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isObject, messageOf } from 'pegboard';
import type { Env, JsonObject } from 'pegboard';
import { Failure } from '../text/failure.ts';
import { declaredSecrets } from '../definitions/declaredSecrets.ts';
import { isEntry, tablesIn } from '../clients/tables.ts';
import { fromBundle, isBundle } from '../definitions/fromBundle.ts';
import { fromServerJson, unwrapped } from '../definitions/fromServerJson.ts';
import type { Described, Given } from '../definitions/fromServerJson.ts';
import { otherFormat } from '../definitions/otherFormat.ts';
import { refuseForeign } from '../definitions/refuseForeign.ts';
import { entryIn, objectIn } from './entryIn.ts';
import type { EntrySpec } from './specOfEntry.ts';
import { specOfEntry } from './specOfEntry.ts';

export interface FoundSpec extends EntrySpec {
  /** The name that it has itself. */
  readonly name?: string;
  /** Values that are secret whatever they look like. */
  readonly secrets?: ReadonlySet<string>;
}

/** What a file describes. @throws Failure that says what to type instead */
export async function describedInFile(file: string, given: Given, env: Env): Promise<FoundSpec> {
  if (/\.(?:mcpb|dxt)$/i.test(file))
    throw new Failure(
      `${file} is a bundle, which is a zip archive; use: unzip ${file} -d <folder>, then: pegboard add <folder>/manifest.json`,
    );
  const other = otherFormat(file);
  if (other !== undefined) throw new Failure(`${file} ${other}`);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Failure(`${file} cannot be read: ${messageOf(error)}`);
  });
  return describedIn(objectIn(text, file), file, { ...given, folder: dirname(resolve(file)), vars: env });
}

/** What an object describes: a server.json of the MCP registry, the manifest of a bundle, an extension of Gemini CLI, or an entry of
 *  any client. @param what names it in messages @throws Failure */
export function describedIn(
  value: JsonObject,
  what: string,
  { folder, vars, ...given }: Given & { readonly folder: string; readonly vars: Env },
): FoundSpec {
  const described = (found: Described, from: JsonObject): FoundSpec => {
    const { env, headers, values = {} } = given;
    const typed = [...Object.values(env), ...Object.values(headers), ...Object.values(values).flat()];
    refuseMismatch(found.spec['url'] !== undefined, given);
    refuseForeign(found.spec, what, { typed });
    return { notes: [], ...found, secrets: declaredSecrets(from, given) };
  };
  if (isBundle(value) && given.package !== undefined)
    throw new Failure('--package is for a server.json; a manifest has one server');
  if (isBundle(value)) return described(fromBundle(value, what, given), value);
  const server = unwrapped(value);
  const isServer =
    isObject(server) && (Array.isArray(server['packages']) || Array.isArray(server['remotes']));
  if (isServer || String(value['$schema']).includes('server.schema.json')) {
    const plain = isObject(server) ? server : value;
    return described(fromServerJson(plain, what, given), plain);
  }
  const isOfClient = isEntry(value) || tablesIn(value).length > 0;
  const other = isOfClient ? undefined : otherFormat(resolve(folder, what), value);
  if (other !== undefined) throw new Failure(`${what} ${other}`);
  const { name, value: entry } = entryIn(inFolder(value, folder), what);
  const { spec, notes } = specOfEntry(
    { name: name ?? 'server', value: entry },
    { env: vars, cwd: folder, what },
  );
  return { ...(name !== undefined && { name }), spec: withGiven(spec, given), notes };
}

/** What extensions of Gemini CLI and plugins of Claude Code call their folder. */
function inFolder(value: JsonObject, folder: string): JsonObject {
  const text = JSON.stringify(value);
  const quoted = JSON.stringify(folder).slice(1, -1);
  const filled = text
    .replaceAll(/\$\{(?:extensionPath|CLAUDE_PLUGIN_ROOT)\}/g, () => quoted)
    .replaceAll('${/}', '/');
  return filled === text ? value : (JSON.parse(filled) as JsonObject);
}

/** What was typed beside an entry counts more than what is in it. */
function withGiven(spec: JsonObject, given: Given): JsonObject {
  const { env, headers, transport } = given;
  const isRemote = spec['url'] !== undefined;
  const merged = (before: unknown, more: Given['env']): JsonObject => ({
    ...(isObject(before) ? before : {}),
    ...more,
  });
  refuseMismatch(isRemote, given);
  refuseChoices(given);
  return {
    ...spec,
    ...(isRemote && transport !== undefined && { type: transport }),
    ...(Object.keys(env).length > 0 && { env: merged(spec['env'], env) }),
    ...(Object.keys(headers).length > 0 && { headers: merged(spec['headers'], headers) }),
  };
}

/** @throws Failure for what chooses in descriptions, beside something else */
export function refuseChoices({ values = {}, package: chosen }: Given): void {
  if (chosen !== undefined || Object.keys(values).length > 0)
    throw new Failure(
      '--package is for a server.json, --set for that and a manifest; a command takes --env and words of its own, a URL --header',
    );
}

/** @throws Failure for variables beside a URL, and headers or a transport beside a command */
export function refuseMismatch(isRemote: boolean, { env, headers, transport }: Given): void {
  if (isRemote && transport === 'stdio')
    throw new Failure('--transport stdio is for a command, not for a URL');
  if (isRemote && Object.keys(env).length > 0)
    throw new Failure('--env is for a command; a URL takes --header');
  const isOfUrl = Object.keys(headers).length > 0 || (transport !== undefined && transport !== 'stdio');
  if (!isRemote && isOfUrl)
    throw new Failure('--header and --transport are for a URL; a command takes --env');
}
