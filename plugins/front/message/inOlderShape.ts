import { rawMember, withRawMember } from '../../kit/text/rawJson.ts';

/** Finds what may be structured content of another type than object. In a string the quotes would be escaped. */
const NO_OBJECT = /"structuredContent"\s*:\s*[^{\s]/;

/** A result of a tool as revisions up to 2025-11-25 have it: structured content is an object there, and clients drop a result
 *  with any other as a whole. Named like the SDK of 2026-07-28 does. Its text is searched first, which costs far less than parsing it.
 *  @param result JSON text */
export function inOlderShape(result: string): string {
  if (!NO_OBJECT.test(result)) return result;
  const value = rawMember(result, 'structuredContent');
  if (value === undefined || value.startsWith('{')) return result;
  const shaped = withRawMember(result, 'structuredContent', `{"result":${value}}`);
  const isEmpty = /^\[\s*\]$/.test(rawMember(result, 'content') ?? '[]');
  if (!isEmpty) return shaped;
  return withRawMember(shaped, 'content', JSON.stringify([{ type: 'text', text: value }]));
}
