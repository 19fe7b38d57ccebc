import type { Toolset } from 'pegboard';

/** The one built in, so it cannot come to mean something else while clients hold what they were told. */
const READ_ONLY = 'preset:read-only';

/** Whether it is, or is within, a toolset of read-only tools alone. */
export function onlyReads(toolset: Toolset | undefined): boolean {
  if (toolset === undefined) return false;
  return linksOf(toolset).some(({ selectors }) => selectors.every((selector) => selector === READ_ONLY));
}

/** A toolset and those that narrow it. */
export function linksOf(toolset: Toolset): readonly Toolset[] {
  return toolset.within === undefined ? [toolset] : [toolset, ...linksOf(toolset.within)];
}
