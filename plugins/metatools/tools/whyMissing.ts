import { ToolTable } from 'pegboard';
import type { InboundRequest, Scope } from 'pegboard';

/** Each word is judged by all layers. */
const MAX_WORDS = 20;

/** Why a tool is missing that a search has in its words by name, or by its beginning before a `*`; undefined if none is.
 *  @param mended servers of which the answer says what to do anyway */
export function whyMissing(
  scope: Scope<unknown>,
  searched: readonly (string | undefined)[],
  request: InboundRequest,
  mended: ReadonlySet<string>,
): string | undefined {
  const table = scope.get(ToolTable);
  const words = searched.flatMap((text) => text?.split(/[\s"'`,;]+/) ?? []);
  for (const word of words.slice(0, MAX_WORDS)) {
    const [name = ''] = word.split(/[*?[{]/);
    if (!name.includes('_') || table.find(name, request) !== undefined) continue;
    const { reason, remedy, server = '' } = table.refusal(name, undefined, request) ?? {};
    if (reason !== undefined)
      return remedy === undefined || mended.has(server) ? reason : `${reason}; ${remedy}`;
  }
  return undefined;
}
