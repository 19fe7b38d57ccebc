import { createHash } from 'node:crypto';
import type { UpstreamConfig } from '../config.ts';
import type { ServerDefinition } from '../definition.ts';

export interface NameParts {
  readonly servicePrefix: string;
  /** `toolPrefix` of the definition, or the server's name. */
  readonly prefix: string;
  readonly maxChars: number;
}

export function namingOf(
  { name, definition }: { readonly name: string; readonly definition: Pick<ServerDefinition, 'toolPrefix'> },
  { servicePrefix, maxNameChars }: Pick<UpstreamConfig, 'servicePrefix' | 'maxNameChars'>,
): NameParts {
  return { servicePrefix, prefix: definition.toolPrefix ?? name, maxChars: maxNameChars };
}

export function isSameNaming(a: NameParts, b: NameParts): boolean {
  return a.servicePrefix === b.servicePrefix && a.prefix === b.prefix && a.maxChars === b.maxChars;
}

/** `x_<prefix>_<name>`; the prefix is not repeated if the name begins with `<prefix>_`. Exposed names are never parsed:
 *  a map has the meaning of each. Source: requirement service.names. */
export function exposedName(name: string, { servicePrefix, prefix, maxChars }: NameParts): string {
  const full = name.startsWith(`${prefix}_`)
    ? `${servicePrefix}_${name}`
    : `${servicePrefix}_${prefix}_${name}`;
  if (full.length <= maxChars) return full;
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 12);
  return `${full.slice(0, maxChars - 13).replace(/[\ud800-\udbff]$/, '')}_${hash}`;
}

/** Whether a tool of that name could belong to the server. */
export function isNamedAfter(name: string, { servicePrefix, prefix }: NameParts): boolean {
  return name.startsWith(`${servicePrefix}_${prefix}_`);
}

/** URIs of Pegboard's own resources. Source: requirement resource.auth. */
const OWN_URIS: ReadonlySet<string> = new Set(['auth://status']);

export function isOwnUri(uri: string): boolean {
  return OWN_URIS.has(uri);
}

/** Keeps a URI that has a scheme, unless it is one of Pegboard's own. */
export function exposedUri(uri: string, parts: NameParts): string {
  return uri.includes('://') && !isOwnUri(uri)
    ? uri
    : exposedName(uri, { ...parts, maxChars: Number.POSITIVE_INFINITY });
}
