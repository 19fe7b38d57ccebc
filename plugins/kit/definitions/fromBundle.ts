import { dirname, resolve } from 'node:path';
import { homeFolder, isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { Failure } from '../text/failure.ts';
import type { Described, Given } from './fromServerJson.ts';
import { scalarText } from './scalarText.ts';
import { refuseUnset } from './refuseUnset.ts';
import { ownAt, refuseMissing } from './serverInputs.ts';

const VARIABLE = /\$\{([\w.-]+)\}/g;
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  node: ['node'],
  python: ['python3'],
  uv: ['uv', 'run'],
  binary: [],
};

/** Whether a file is the manifest of an MCP bundle (`.mcpb`, formerly `.dxt`). */
export function isBundle(value: JsonObject): boolean {
  return (value['manifest_version'] ?? value['dxt_version']) !== undefined && isObject(value['server']);
}

/** The definition of the server of an unpacked MCP bundle. Values of its user_config come by `--set name=value`, or are its defaults.
 *  Source: https://github.com/modelcontextprotocol/mcpb, MANIFEST.md @throws Failure naming all values that are missing */
export function fromBundle(manifest: JsonObject, file: string, given: Given): Described {
  const { name, description, server, user_config: asked } = manifest;
  const { type, entry_point: entry, mcp_config: config } = server as JsonObject;
  if (typeof name !== 'string' || (!isObject(config) && typeof entry !== 'string'))
    throw new Failure(
      `${file} has no "name", or its server no "entry_point"; it is the manifest of no MCP bundle`,
    );
  const folder = dirname(resolve(file));
  const own = isObject(config) ? config : {};
  const overrides = isObject(own['platform_overrides']) ? own['platform_overrides'][process.platform] : {};
  const { command, args, env } = { ...own, ...(isObject(overrides) ? overrides : {}) };
  const words =
    typeof command === 'string'
      ? [command, ...(Array.isArray(args) ? (args as unknown[]).map(String) : [])]
      : [...(ownAt(PROGRAMS, String(type)) ?? []), resolve(folder, String(entry))];
  const settings = isObject(asked) ? asked : {};
  refuseUnset(given.values ?? {}, new Set(Object.keys(settings)), file);
  const values = valuesOf(settings, given);
  const fill = (text: string): readonly string[] => filled(text, folder, values);
  const variables = Object.entries(isObject(env) ? env : {}).flatMap(([key, text]) =>
    fill(String(text)).map((one) => [key, one] as const),
  );
  const all = { ...Object.fromEntries(variables), ...given.env };
  return {
    name,
    spec: {
      ...(typeof description === 'string' && { description }),
      type: 'stdio',
      command: words.flatMap(fill),
      cwd: folder,
      ...(Object.keys(all).length > 0 && { env: all }),
    },
  };
}

function valuesOf(asked: JsonObject, given: Given): Readonly<Record<string, readonly string[]>> {
  const options = Object.entries(asked).filter((pair): pair is [string, JsonObject] => isObject(pair[1]));
  const found = options.map(([name, { default: preset }]) => {
    const presets =
      preset === undefined
        ? []
        : [preset].flat().map((one) => filled(scalarText(one) ?? '', '', {}).join(''));
    return [name, ownAt(given.values ?? {}, name) ?? presets] as const;
  });
  const values = Object.fromEntries(found);
  refuseMissing(
    options
      .filter(([name, { required }]) => required === true && values[name]?.length === 0)
      .map(([name, { title, description }]) => ({
        flag: `--set ${name}=…`,
        about: scalarText(description) ?? scalarText(title) ?? '',
      })),
  );
  return values;
}

/** A text with its variables; none if it is one optional value that is not set, several if it is a list. */
function filled(
  text: string,
  folder: string,
  values: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const [, whole] = /^\$\{user_config\.([\w-]+)\}$/.exec(text) ?? [];
  const list = whole === undefined ? undefined : ownAt(values, whole);
  if (list !== undefined) return list;
  const home = homeFolder();
  const known: Readonly<Record<string, string>> = {
    __dirname: folder,
    ...(home !== undefined && {
      HOME: home,
      DESKTOP: `${home}/Desktop`,
      DOCUMENTS: `${home}/Documents`,
      DOWNLOADS: `${home}/Downloads`,
    }),
    pathSeparator: '/',
  };
  return [
    text
      .replaceAll('${/}', '/')
      .replace(
        VARIABLE,
        (all, name: string) =>
          ownAt(known, name) ?? ownAt(values, name.replace('user_config.', ''))?.join(',') ?? all,
      ),
  ];
}
