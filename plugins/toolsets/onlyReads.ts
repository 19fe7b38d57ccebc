import type { Toolset } from 'pegboard';

/** The built-in preset: its meaning cannot change while clients rely on it. */
const READ_ONLY = 'preset:read-only';

/** Whether the toolset, or one that narrows it, holds read-only tools only. */
export function onlyReads(toolset: Toolset | undefined): boolean {
  if (toolset === undefined) return false;
  return linksOf(toolset).some(({ selectors }) => selectors.every((selector) => selector === READ_ONLY));
}

/** A toolset and those that narrow it. */
export function linksOf(toolset: Toolset): readonly Toolset[] {
  return toolset.within === undefined ? [toolset] : [toolset, ...linksOf(toolset.within)];
}
