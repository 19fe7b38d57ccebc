import { relative } from 'node:path';
import { ConfigControl, placeText } from 'pegboard';
import type { Position, Scope } from 'pegboard';
import { ConfigOrigins } from '../../contracts/settings.ts';

/** Keys of config.yaml that a layer of the decision follows, besides what clients declare. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  toolset: ['access'],
  deny: ['plugins', 'deny'],
};

/** Where the setting is that a layer follows: `config.yaml:12:3`, from the configuration directory on; undefined if it is in no file.
 *  @param server whose definition the layer `server` follows */
export async function settingsOf(
  scope: Scope<unknown>,
  server: string | undefined,
): Promise<(layer: string) => string | undefined> {
  const control = scope.get(ConfigControl);
  const values = (await scope.find(ConfigOrigins)?.read()) ?? [];
  const text = (position: Position | undefined): string | undefined => {
    if (position?.file === undefined) return undefined;
    return placeText({ ...position, file: relative(control.directory, position.file) });
  };
  return (layer) => {
    if (layer === 'server')
      return text(
        control
          .resources('MCPServer')
          .find(({ name }) => name === server)
          ?.origin.locate([]),
      );
    const keys = KEYS[layer];
    if (keys === undefined) return undefined;
    return text(values.find(({ path }) => keys.every((key, at) => path[at] === key))?.place);
  };
}
