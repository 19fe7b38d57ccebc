import type { Finding } from 'pegboard';
import { BUILT_IN_PRESETS } from '../../contracts/toolsets.ts';
import { selectorFault } from '../calls/selectors.ts';
import { EVERY_CALLER } from './toolsetFor.ts';
import type { AccessRule } from './toolsetFor.ts';

/** Selectors that cannot be used, and groups that look like patterns, with their places. @param own names of presets that are not built in */
export function accessFindings(access: readonly AccessRule[], own: readonly string[]): readonly Finding[] {
  const presets = [...BUILT_IN_PRESETS, ...own];
  return access.flatMap(({ groups, toolset }, at) => [
    ...toolset.flatMap((selector, which): Finding[] => {
      const fault = selectorFault(selector, presets);
      const path = ['access', at, 'toolset', which];
      return fault === undefined ? [] : [{ path, message: `access[${at}]: toolset ${fault}` }];
    }),
    ...groups.flatMap((group, which): Finding[] => {
      if (group === EVERY_CALLER || !group.includes('*')) return [];
      const message = `access[${at}]: groups are compared exactly, so ${group} is not a pattern; * alone is every caller`;
      return [{ path: ['access', at, 'groups', which], message, severity: 'warning' }];
    }),
  ]);
}
