import { isObject } from 'pegboard';
import { flagIn, textsIn } from './entryFields.ts';
import type { EntryFields } from './entryFields.ts';

/** Keys of a definition. */
export interface ToolLimits {
  /** Empty: none is offered. */
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
}

/** Tools that the client offers or hides: what one list of those that it offers lacks, it does not offer. */
export function limitsOf(fields: EntryFields): ToolLimits {
  const lists = [
    'includeTools',
    'include_tools',
    'enabled_tools',
    'enabledTools',
    'allowedTools',
    'allowed_tools',
  ];
  // To Goose an empty list means all.
  const ofGoose = fields.take(['available_tools'], textsIn);
  const limits: readonly ToolLimits[] = [
    ...fields.takeAll(lists, textsIn).map((includeTools) => ({ includeTools })),
    ...(ofGoose === undefined || ofGoose.length === 0 ? [] : [{ includeTools: ofGoose }]),
    ...fields
      .takeAll(['excludeTools', 'exclude_tools', 'disabled_tools', 'disabledTools'], textsIn)
      .map((excludeTools) => ({ excludeTools })),
    fields.take(['tools'], (value) =>
      limitsIn(value, () => fields.leave('tools', 'it says more than what is on')),
    ) ?? {},
    fields.below('options').take(['toolFilter'], filterIn) ?? {},
  ];
  const included = limits.flatMap(({ includeTools }) =>
    includeTools === undefined || includeTools.includes('*') ? [] : [includeTools],
  );
  const [first, ...others] = included;
  const excluded = [...new Set(limits.flatMap(({ excludeTools = [] }) => excludeTools))];
  return {
    ...(first !== undefined && {
      includeTools: first.filter((name) => others.every((list) => list.includes(name))),
    }),
    ...(excluded.length > 0 && { excludeTools: excluded }),
  };
}

/** Copilot's list, or MCPHub's `{ TOOL: { enabled: false } }`. @param more is called if there is something else */
function limitsIn(value: unknown, more: () => void): ToolLimits | undefined {
  if (Array.isArray(value)) {
    const includeTools = textsIn(value);
    return includeTools && { includeTools };
  }
  if (!isObject(value)) return undefined;
  const isPlain = (one: unknown): boolean =>
    isObject(one)
      ? Object.keys(one).every((key) => key === 'enabled' || key === 'description')
      : flagIn(one) !== undefined;
  if (!Object.values(value).every(isPlain)) more();
  const said = Object.entries(value).map(
    ([name, one]) => [name, isObject(one) ? one['enabled'] : one] as const,
  );
  return { excludeTools: said.filter(([, isOn]) => flagIn(isOn) === false).map(([name]) => name) };
}

/** TBXark's `{ mode: allow | block, list }`. */
function filterIn(value: unknown): ToolLimits | undefined {
  const { mode, list } = isObject(value) ? value : {};
  const names = textsIn(list);
  if (names === undefined || (mode !== 'allow' && mode !== 'block')) return undefined;
  return mode === 'allow' ? { includeTools: names } : { excludeTools: names };
}
