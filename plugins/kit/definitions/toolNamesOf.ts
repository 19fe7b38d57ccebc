import { didYouMean } from 'pegboard';
import type { Resource, ResourceKind, Settings } from 'pegboard';

export type ToolNames = ReturnType<NonNullable<ResourceKind['toolNames']>>;
export interface Named {
  readonly resource: Resource;
  readonly names: ToolNames;
}

/** Names of the tools that definitions add, as far as they are known without starting anything. */
export function toolNamesOf({
  resources,
  kinds,
  settings,
}: {
  readonly resources: readonly Resource[];
  readonly kinds: readonly ResourceKind[];
  readonly settings: Settings;
}): readonly Named[] {
  return resources.flatMap((resource) => {
    const kind = kinds.find(({ name }) => name === resource.kind);
    const names = kind?.toolNames?.(resource.spec, resource.name, settings);
    return names === undefined ? [] : [{ resource, names }];
  });
}

/** Why no tool can have this name, with the next step; undefined if one has it or may have it.
 *  @param tools that no definition adds */
export function toolFaultIn(
  named: readonly Named[],
  tools: readonly string[],
  name: string,
): string | undefined {
  const exact = [...tools, ...named.flatMap(({ names }) => ('exact' in names ? [names.exact] : []))];
  const prefixes = named.flatMap(({ names }) => ('prefix' in names ? [names.prefix] : []));
  if (exact.includes(name) || prefixes.some((prefix) => name.startsWith(prefix))) return undefined;
  const begins = `those of servers begin with ${prefixes.slice(0, 10).join(', ')}`;
  const otherwise = prefixes.length === 0 ? 'no server is defined; define one' : begins;
  return `no tool is named ${name}; ${didYouMean(name, exact, otherwise)}`;
}
