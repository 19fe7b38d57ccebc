import { entryOf, replaceMarked } from 'pegboard';
import { consistsOfReferences, isSecret, nameOf } from 'pegboard/kit';
import type { Configured, Issue, JsonSchema, Resource } from 'pegboard';

type MarkedPlace = Parameters<Parameters<typeof replaceMarked>[2]>[1];

const FIX = 'as plain text; write ${env:NAME} or ${file:PATH}';

/** Warns of each secret that is written out, by the schemas that mark them: in definitions, and in config.yaml for plugins
 *  that are switched off too. */
export function writtenSecrets({
  wanted,
  off,
  settings,
  resources,
  kinds,
  place,
}: Configured): readonly Issue[] {
  const ofPlugins = [...wanted.map(({ plugin }) => plugin), ...off].flatMap((plugin) => {
    const given = plugin.select?.(settings) ?? entryOf(settings, plugin.name).config;
    return pathsIn(plugin.configSchema, given, isWritten).map((path) =>
      place(plugin, { path, message: `${path.join('.')} is in config.yaml ${FIX}`, severity: 'warning' }),
    );
  });
  return [...ofPlugins, ...resources.flatMap((resource) => ofDefinition(resource, kinds))];
}

function ofDefinition(resource: Resource, kinds: Configured['kinds']): readonly Issue[] {
  const { kind, name, spec, origin } = resource;
  const { schema = {} } = kinds.find((one) => one.name === kind) ?? {};
  // The kind itself judges addresses and words, which hold no references.
  const isJudged = (text: string, at: MarkedPlace): boolean =>
    !at.isAddress && !at.isWord && isWritten(text, at);
  return pathsIn(schema, spec, isJudged).map((path) => ({
    severity: 'warning',
    code: 'CONFIG_INVALID',
    message: `${kind} ${name}: ${path.join('.')} is in the definition ${FIX}`,
    ...origin.locate(path),
  }));
}

function pathsIn(
  schema: JsonSchema,
  value: unknown,
  isFound: (text: string, place: MarkedPlace) => boolean,
): readonly MarkedPlace['path'][] {
  const paths: MarkedPlace['path'][] = [];
  replaceMarked(schema, value, (given, place) => {
    if (!place.isGuessed && isFound(String(given), place)) paths.push(place.path);
    return given;
  });
  return paths;
}

/** Whether a text is a secret as plain text; for an address, and for a text among others, only name and form say so. */
function isWritten(text: string, { path, isAddress, isAmongOthers }: MarkedPlace): boolean {
  if (isAddress) return isSecret('', text);
  const name = nameOf(path);
  if (isAmongOthers) return isSecret(name, text);
  return text !== '' && (!consistsOfReferences(text) || isSecret(name, text));
}
