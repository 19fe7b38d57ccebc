import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { KeyPath } from './formats.ts';

/** An entry with what its file says about it elsewhere, in the keys of entries. @param at where its table lies */
export function withBeside(
  file: JsonObject,
  at: KeyPath,
  [name, value]: readonly [string, JsonObject],
): JsonObject {
  const defaults = isObject(file['serverDefaults']) ? file['serverDefaults'] : {};
  return {
    ...defaults,
    ...value,
    ...notAllowed(file, name),
    ...toolsOf(file, at, name),
    ...disabledIn(file, at, name),
  };
}

/** Gemini CLI and Qwen Code: `mcp: { allowed, excluded }`. */
function notAllowed({ mcp }: JsonObject, name: string): JsonObject {
  const { allowed, excluded } = isObject(mcp) ? mcp : {};
  const isOut =
    (Array.isArray(allowed) && !allowed.includes(name)) ||
    (Array.isArray(excluded) && excluded.includes(name));
  return isOut ? { disabled: true } : {};
}

/** opencode: `tools: { "SERVER_*": false }`, the last that fits a tool counts. */
function toolsOf({ tools }: JsonObject, [table]: KeyPath, name: string): JsonObject {
  if (table !== 'mcp' || !isObject(tools)) return {};
  const prefix = `${name.replaceAll(/[^\w-]/g, '_')}_`;
  const rules = Object.entries(tools).flatMap(([pattern, isOn]) => {
    if (pattern.startsWith(prefix)) return [[pattern.slice(prefix.length), isOn] as const];
    const start = /^([^*]*)\*$/.exec(pattern)?.[1];
    return start !== undefined && prefix.startsWith(start) ? [['*', isOn] as const] : [];
  });
  const lastOfAll = rules.findLastIndex(([tool]) => tool === '*');
  const after = rules.slice(lastOfAll + 1);
  const named = (isOn: boolean) => after.filter(([, said]) => said === isOn).map(([tool]) => tool);
  if (rules[lastOfAll]?.[1] !== false) return named(false).length > 0 ? { excludeTools: named(false) } : {};
  return named(true).length > 0 ? { includeTools: named(true) } : { disabled: true };
}

/** Claude Code: what is switched off in a project, beside the project's own servers. */
function disabledIn({ projects }: JsonObject, [table, folder = '']: KeyPath, name: string): JsonObject {
  const project = table === 'projects' && isObject(projects) ? projects[folder] : undefined;
  const off = isObject(project) ? project['disabledMcpServers'] : undefined;
  return Array.isArray(off) && off.includes(name) ? { disabled: true } : {};
}
