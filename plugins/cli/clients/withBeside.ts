import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { mergedEntry } from '../../kit/clients/entry/mergedEntry.ts';
import type { KeyPath } from '../../kit/clients/formats.ts';

/** An entry with what its file says about it elsewhere, in the keys of entries. @param at where its table lies */
export function withBeside(
  file: JsonObject,
  at: KeyPath,
  [name, value]: readonly [string, JsonObject],
): JsonObject {
  const defaults = isObject(file['serverDefaults']) ? file['serverDefaults'] : {};
  return {
    ...mergedEntry(defaults, value),
    ...(isNotAllowed(file, name) && { disabled: true }),
    ...toolsOf(file, at, name),
    ...agentTools(file, name),
    ...disabledIn(file, at, name),
  };
}

/** Gemini CLI and Qwen Code: `mcp: { allowed, excluded }`. */
export function isNotAllowed({ mcp }: JsonObject, name: string): boolean {
  const { allowed, excluded } = isObject(mcp) ? mcp : {};
  return (
    (Array.isArray(allowed) && !allowed.includes(name)) ||
    (Array.isArray(excluded) && excluded.includes(name))
  );
}

/** opencode: `tools: { "SERVER_*": false }` and `permission: { "SERVER_*": "deny" }`; the last that fits a tool counts. */
function toolsOf({ tools, permission }: JsonObject, [table]: KeyPath, name: string): JsonObject {
  if (table !== 'mcp') return {};
  const denied = Object.entries(isObject(permission) ? permission : {}).flatMap(([pattern, said]) =>
    said === 'deny' ? [[pattern, false] as const] : [],
  );
  const prefix = `${name.replaceAll(/[^\w-]/g, '_')}_`;
  const rules = [...Object.entries(isObject(tools) ? tools : {}), ...denied].flatMap(
    ([pattern, isOn]): readonly (readonly [string, unknown])[] => {
      if (pattern.startsWith(prefix)) return [[pattern.slice(prefix.length), isOn]];
      const star = pattern.indexOf('*');
      if (star < 0 || !prefix.startsWith(pattern.slice(0, star))) return [];
      // A pattern that begins within the server's name may mean any tool.
      return [[star === 0 ? pattern : '*', isOn]];
    },
  );
  const lastOfAll = rules.findLastIndex(([tool]) => tool === '*');
  const after = rules.slice(lastOfAll + 1);
  const named = (isOn: boolean) => after.filter(([, said]) => said === isOn).map(([tool]) => tool);
  if (rules[lastOfAll]?.[1] !== false) return named(false).length > 0 ? { excludeTools: named(false) } : {};
  return named(true).length > 0 ? { includeTools: named(true) } : { disabled: true };
}

/** Agents of Kiro and Amazon Q: `tools: ["@SERVER", "@SERVER/TOOL"]`. */
function agentTools({ tools, mcpServers }: JsonObject, name: string): JsonObject {
  if (!Array.isArray(tools) || !isObject(mcpServers)) return {};
  const all = (tools as unknown[]).filter((one) => typeof one === 'string');
  if (all.some((one) => one === '*' || one === '@*' || one === `@${name}`)) return {};
  const named = all.filter((one) => one.startsWith(`@${name}/`)).map((one) => one.slice(name.length + 2));
  return named.length > 0 ? { includeTools: named } : { disabled: true };
}

/** Claude Code: what is switched off in a project, beside the project's own servers. */
function disabledIn({ projects }: JsonObject, [table, folder = '']: KeyPath, name: string): JsonObject {
  const project = table === 'projects' && isObject(projects) ? projects[folder] : undefined;
  const off = isObject(project) ? project['disabledMcpServers'] : undefined;
  return Array.isArray(off) && off.includes(name) ? { disabled: true } : {};
}
