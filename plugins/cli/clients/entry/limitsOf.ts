import { isObject } from 'pegboard';
import { flagIn, textsIn } from './entryFields.ts';
import type { EntryFields } from './entryFields.ts';

/** Keys of a definition. */
export interface ToolLimits {
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
}

/** Tools that the client offers or hides. An empty list of those that it offers means all, as Goose has it. */
export function limitsOf(fields: EntryFields): ToolLimits {
  const keys = ['includeTools', 'include_tools', 'enabled_tools', 'enabledTools', 'allowedTools'];
  const include = fields.take([...keys, 'allowed_tools', 'available_tools'], textsIn);
  const exclude = fields.take(['excludeTools', 'exclude_tools', 'disabled_tools', 'disabledTools'], textsIn);
  const { includeTools = include, excludeTools = [] } = fields.take(['tools'], limitsIn) ?? {};
  const filter = fields.below('options').take(['toolFilter'], filterIn) ?? {};
  const included = filter.includeTools ?? includeTools;
  const excluded = [...new Set([...(exclude ?? []), ...excludeTools, ...(filter.excludeTools ?? [])])];
  return {
    ...(included !== undefined && !included.includes('*') && { includeTools: included }),
    ...(excluded.length > 0 && { excludeTools: excluded }),
  };
}

/** Copilot's list, or MCPHub's `{ TOOL: { enabled: false } }`. */
function limitsIn(value: unknown): ToolLimits | undefined {
  if (Array.isArray(value)) {
    const includeTools = textsIn(value);
    return includeTools && { includeTools };
  }
  if (!isObject(value)) return undefined;
  const isOther = (one: unknown): boolean =>
    isObject(one) && Object.keys(one).some((key) => key !== 'enabled' && key !== 'description');
  if (Object.values(value).some(isOther)) return undefined;
  const offered = Object.entries(value).map(
    ([name, one]) => [name, isObject(one) ? one['enabled'] : one] as const,
  );
  if (offered.some(([, said]) => said !== undefined && flagIn(said) === undefined)) return undefined;
  return { excludeTools: offered.filter(([, said]) => flagIn(said) === false).map(([name]) => name) };
}

/** TBXark's `{ mode: allow | block, list }`. */
function filterIn(value: unknown): ToolLimits | undefined {
  const { mode, list } = isObject(value) ? value : {};
  const names = textsIn(list);
  if (names === undefined || (mode !== 'allow' && mode !== 'block')) return undefined;
  return mode === 'allow' ? { includeTools: names } : { excludeTools: names };
}
