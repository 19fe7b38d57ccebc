import type { Resource, ResourceFinding } from 'pegboard';

interface Naming {
  readonly toolPrefix?: string;
  readonly family?: { readonly name: string };
}

/** Finds servers whose tools would have the prefix of another server: a caller could confuse them. */
export function foreignNames(resources: readonly Resource[]): readonly ResourceFinding[] {
  const namings = resources.map((resource) => [resource, resource.spec as Naming] as const);
  const bearers = new Map(
    namings
      .filter(([{ name }, { toolPrefix = name }]) => toolPrefix === name)
      .map(([{ name }, naming]) => [name, naming]),
  );
  return namings.flatMap(([resource, { toolPrefix, family }]) => {
    const { name } = resource;
    const found: ResourceFinding[] = [];
    const warn = (path: readonly string[], what: string, fix: string): void => {
      const message = `${what}, whose tools win where ${name} has one of the same name; ${fix}`;
      found.push({ resource, path, message, severity: 'warning' });
    };
    if (toolPrefix !== undefined && toolPrefix !== name && bearers.has(toolPrefix)) {
      const what = `toolPrefix ${toolPrefix} is the name of server ${toolPrefix}`;
      warn(['toolPrefix'], what, `choose another toolPrefix for ${name}`);
    }
    const bearer = family === undefined ? undefined : bearers.get(family.name);
    if (family !== undefined && bearer !== undefined && bearer.family?.name !== family.name) {
      const what = `family ${family.name} is the name of server ${family.name}`;
      warn(['family', 'name'], what, `choose another family for ${name}, or make ${family.name} a member`);
    }
    return found;
  });
}
