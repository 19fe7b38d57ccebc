import type { JsonObject, Scope, Tool } from 'pegboard';
import { allServices } from '../../kit/definitions/allServices.ts';
import { toolsByServer } from '../../kit/calls/perList.ts';
import { serverWords } from '../../kit/text/serverWords.ts';

/** Characters of a server's instructions beside tools that were found. */
const BESIDE_CHARS = 400;

/** What a server tells agents about its tools, as a quotation; nothing if it tells nothing.
 *  @param tools those of the server that the request may see */
export function serverInstructions(
  scope: Scope<unknown>,
  server: string,
  { tools, maxChars }: { readonly tools: readonly Tool[]; readonly maxChars: number },
): JsonObject {
  const service = allServices(scope).find(({ name }) => name === server);
  const withheld = service?.instructionsWithheld?.();
  if (withheld !== undefined) return { server_instructions: { server, withheld } };
  const text = service?.instructions?.() ?? '';
  const quoted = text === '' ? '' : serverWords(text, tools, maxChars);
  return quoted === '' ? {} : { server_instructions: { server, quoted } };
}

/** The instructions of the server that has more than two thirds of the tools of a page.
 *  @param visible tools that the request may see */
export function mainInstructions(
  scope: Scope<unknown>,
  page: readonly JsonObject[],
  visible: readonly Tool[],
): JsonObject {
  const counts = new Map<unknown, number>();
  for (const { server } of page) counts.set(server, (counts.get(server) ?? 0) + 1);
  const [main] = [...counts].find(([, count]) => 3 * count > 2 * page.length) ?? [];
  if (typeof main !== 'string') return {};
  const tools = toolsByServer(visible).get(main) ?? [];
  return serverInstructions(scope, main, { tools, maxChars: BESIDE_CHARS });
}
