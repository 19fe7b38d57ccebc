import type { Toolset } from 'pegboard';

/** A toolset and those that narrow it. */
export function toolsetLinks(toolset: Toolset | undefined): readonly Omit<Toolset, 'within'>[] {
  if (toolset === undefined) return [];
  const { within, ...link } = toolset;
  return [link, ...toolsetLinks(within)];
}
