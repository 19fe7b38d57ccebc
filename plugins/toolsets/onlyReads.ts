import type { Toolset } from 'pegboard';
import { toolsetLinks } from '../kit/authority/toolsetLinks.ts';

/** The built-in preset: its meaning cannot change while clients rely on it. */
const READ_ONLY = 'preset:read-only';

/** Whether the toolset, or one that narrows it, holds read-only tools only. */
export function onlyReads(toolset: Toolset | undefined): boolean {
  return toolsetLinks(toolset).some(({ selectors }) => selectors.every((selector) => selector === READ_ONLY));
}
