import { createHash } from 'node:crypto';
import { HIDDEN, holdsUnprintable } from 'pegboard';
import type { UpstreamConfig } from '../config.ts';
import type { ServerDefinition } from '../definition.ts';

/** How the names of a server are made. */
export interface Naming {
  readonly servicePrefix: string;
  /** `toolPrefix` of the definition, or the server's name. */
  readonly prefix: string;
  readonly maxChars: number;
  readonly maxUriChars: number;
}

export function namingOf(
  { name, definition }: { readonly name: string; readonly definition: Pick<ServerDefinition, 'toolPrefix'> },
  {
    servicePrefix,
    maxNameChars,
    maxUriChars,
  }: Pick<UpstreamConfig, 'servicePrefix' | 'maxNameChars' | 'maxUriChars'>,
): Naming {
  return { servicePrefix, prefix: definition.toolPrefix ?? name, maxChars: maxNameChars, maxUriChars };
}

export function isSameNaming(a: Naming, b: Naming): boolean {
  return (
    a.servicePrefix === b.servicePrefix &&
    a.prefix === b.prefix &&
    a.maxChars === b.maxChars &&
    a.maxUriChars === b.maxUriChars
  );
}

/** The longest name of a tool or prompt on its server: far more than any real one has. Source: MCP 2025-11-25, Tool Names. */
export const MAX_OWN_NAME_CHARS = 1_024;

const SHOWN_CHARS = 100;
/** A name for the log and the status. */
export function shownName(name: string): string {
  return name.length > SHOWN_CHARS ? `${name.slice(0, SHOWN_CHARS)}… (${name.length} characters)` : name;
}

/** Why an item is not offered because of its name, uri or uri template; undefined if it is. */
export function nameFault(name: string, maxChars: number): string | undefined {
  if (name === '') return 'it has no name';
  if (name === HIDDEN) return 'its name repeats a secret that its server was given';
  if (name.length > maxChars) return `its name has over ${maxChars} characters`;
  return holdsUnprintable(name) ? 'its name holds control or format characters' : undefined;
}

/** `x_<prefix>_<name>`; the prefix is not repeated if the name begins with `<prefix>_`. Exposed names are never parsed:
 *  a map has the meaning of each. Source: requirement service.names. */
export function exposedName(
  name: string,
  { servicePrefix, prefix, maxChars }: Omit<Naming, 'maxUriChars'>,
): string {
  const full = name.startsWith(`${prefix}_`)
    ? `${servicePrefix}_${name}`
    : `${servicePrefix}_${prefix}_${name}`;
  if (full.length <= maxChars) return full;
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 12);
  return `${full.slice(0, maxChars - 13).replace(/[\ud800-\udbff]$/, '')}_${hash}`;
}

/** Whether a tool of that name could belong to the server. */
export function isNamedAfter(name: string, { servicePrefix, prefix }: Naming): boolean {
  return name.startsWith(`${servicePrefix}_${prefix}_`);
}

/** Whether a URI is of Pegboard's own resources, which no server may take. Source: requirement resource.auth. */
export function isOwnUri(uri: string): boolean {
  return uri === 'auth://status' || /^pegboard:/i.test(uri);
}

/** Keeps a URI that has a scheme, unless it is one of Pegboard's own. */
export function exposedUri(uri: string, parts: Naming): string {
  return uri.includes('://') && !isOwnUri(uri)
    ? uri
    : exposedName(uri, { ...parts, maxChars: Number.POSITIVE_INFINITY });
}

/** Something that a server offers under an exposed name. */
export interface Claim {
  readonly server: string;
  /** The prefix is the server's own name, not a toolPrefix or a family, which any definition may choose. */
  readonly isOwn: boolean;
}
