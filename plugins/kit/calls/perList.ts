import type { Tool } from 'pegboard';

/** Derives a value from a list of tools once: requests that see the same tools share one array. */
export function perList<T extends object>(
  derive: (tools: readonly Tool[]) => T,
): (tools: readonly Tool[]) => T {
  const known = new WeakMap<readonly Tool[], T>();
  return (tools) => {
    const value = known.get(tools) ?? derive(tools);
    known.set(tools, value);
    return value;
  };
}

/** The tools of each server, in the order of the list. */
export const toolsByServer = perList((tools): ReadonlyMap<string, readonly Tool[]> => {
  const byServer = new Map<string, Tool[]>();
  for (const tool of tools) {
    if (tool.server === undefined) continue;
    const own = byServer.get(tool.server);
    if (own === undefined) byServer.set(tool.server, [tool]);
    else own.push(tool);
  }
  return byServer;
});
