import { createHash } from 'node:crypto';
import { isObject } from 'pegboard';
import type { JsonObject, ToolAnnotations } from 'pegboard';

/** What is pinned of a declaration, by kind. */
export const PARTS = {
  tools: ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', '_meta'],
  prompts: ['name', 'title', 'description', 'arguments', '_meta'],
  resources: ['uri', 'name', 'title', 'description', 'mimeType', 'annotations', '_meta'],
  resourceTemplates: ['uriTemplate', 'name', 'title', 'description', 'mimeType', 'annotations', '_meta'],
  instructions: ['instructions'],
  serverInfo: ['name', 'title'],
} as const;
export type PinKind = keyof typeof PARTS;

/** Namespaces of keys in `_meta` on which hosts act: pages to show, tools to load or to hide. */
const HOST_KEY = /^(?:ui|openai|anthropic|mcpui\.dev)(?:$|\/)/;

/** What is pinned of a declaration. */
export function pinned(kind: PinKind, declared: JsonObject): JsonObject {
  const parts: Record<string, unknown> = {};
  for (const part of PARTS[kind]) {
    const value = declared[part];
    if (value === undefined) continue;
    if (part === 'annotations' && kind !== 'tools') {
      const lasting = Object.entries(isObject(value) ? value : {}).filter(([key]) => key !== 'lastModified');
      if (lasting.length > 0) parts[part] = Object.fromEntries(lasting);
    } else if (part !== '_meta') parts[part] = value;
    else if (isObject(value)) {
      const acted = Object.entries(value).filter(([key]) => HOST_KEY.test(key));
      if (acted.length > 0) parts[part] = Object.fromEntries(acted);
    }
  }
  return parts;
}

/** One text for all forms of a value: the order of keys says nothing, nor does that of names in `required`.
 *  Not canonicalJson of the kernel, which sorts keys that are numbers otherwise: vaults keep hashes of this text, the audit trail of that. */
export function canonicalText(value: unknown, key = ''): string {
  if (Array.isArray(value)) {
    const items = value.map((one) => canonicalText(one));
    return `[${(key === 'required' ? items.sort() : items).join()}]`;
  }
  if (!isObject(value)) return JSON.stringify(value ?? null);
  let text = '';
  for (const name of Object.keys(value).sort()) {
    const one = value[name];
    if (one !== undefined) text += `${text && ','}${JSON.stringify(name)}:${canonicalText(one, name)}`;
  }
  return `{${text}}`;
}

/** The SHA-256 of what is pinned of a declaration, as its server wrote it. */
export function fingerprint(kind: PinKind, declared: JsonObject): string {
  return createHash('sha256')
    .update(canonicalText(pinned(kind, declared)))
    .digest('hex');
}

/** What hints ask for, in the order of their bits: the hint, what asks for trust in it, and the value that does not. */
const TRUSTING = [
  ['readOnlyHint', (value: unknown) => value === true, false],
  ['destructiveHint', (value: unknown) => value === false, true],
  ['openWorldHint', (value: unknown) => value === false, true],
  // Such a call is sent again (decision D37).
  ['idempotentHint', (value: unknown) => value === true, false],
  // Rules on destructive tools are for those that say so: to say it no longer asks for trust, too.
  ['destructiveHint', (value: unknown) => value !== true, true],
] as const;

/** What the hints of a tool ask for, a bit each. */
export function trustIn(annotations: unknown): number {
  const hints = isObject(annotations) ? annotations : {};
  return TRUSTING.reduce((bits, [hint, asks], at) => bits | (Number(asks(hints[hint])) << at), 0);
}

/** The hints by name that ask for what is in the first and not in the second. */
export function widened(trust: number, accepted: number): readonly string[] {
  const wide = TRUSTING.filter((_, at) => trust & ~accepted & (1 << at)).map(([hint]) => hint);
  return [...new Set(wide)];
}

/** Annotations with those hints turned round that ask for more trust than there is. */
export function withTrust(annotations: ToolAnnotations, trust: number): ToolAnnotations {
  const wide = TRUSTING.filter(([hint, asks], at) => asks(annotations[hint]) && !(trust & (1 << at)));
  return { ...annotations, ...Object.fromEntries(wide.map(([hint, , strict]) => [hint, strict])) };
}
