import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** Arguments of core_mcpserver_detect for a server. It sends headers as they are, so references stay at home. */
export function detectArguments({ url, headers }: JsonObject): JsonObject {
  const all = Object.entries(isObject(headers) ? headers : {});
  return { url, headers: Object.fromEntries(all.filter(([, value]) => !String(value).includes('${'))) };
}
