import { isObject } from 'pegboard';
import type { InboundRequest, JsonObject } from 'pegboard';
import type { ResourceStore, Writer } from '../../contracts/definitions.ts';

/** Who has last written a definition through a tool. A list, because stores have it at hand when what they write to is away. */
export async function registeredByOf(
  kind: string,
  name: string,
  store: Pick<ResourceStore, 'list'>,
): Promise<Writer | undefined> {
  const all = await store.list(kind);
  return all.find((one) => one.name === name)?.registeredBy;
}

const SUBJECT = 'pegboard.dev/registered-by';
const ISSUER = 'pegboard.dev/registered-by-issuer';

/** Undefined without a sign-in: then the definition is the operator's. */
export function writerOf({ caller }: Pick<InboundRequest, 'caller'>): Writer | undefined {
  if (caller === undefined) return undefined;
  const { issuer, subject } = caller;
  return { ...(issuer !== undefined && { issuer }), subject };
}

/** The writer as annotations of an object; undefined clears one. */
export function annotationsOf(writer: Writer | undefined): Readonly<Record<string, string | undefined>> {
  return { [SUBJECT]: writer?.subject, [ISSUER]: writer?.issuer };
}

/** @param annotations of an object, of any form */
export function writerIn(annotations: unknown): { readonly registeredBy?: Writer } {
  const { [SUBJECT]: subject, [ISSUER]: issuer }: JsonObject = isObject(annotations) ? annotations : {};
  if (typeof subject !== 'string') return {};
  return { registeredBy: { ...(typeof issuer === 'string' && { issuer }), subject } };
}
