import type { Finding, Settings } from 'pegboard';
import { BUILT_IN_PRESETS } from '../contracts/toolsets.ts';
import { selectorFault } from '../kit/calls/selectors.ts';
import type { AccessConfig } from './config.ts';
import { EVERY_CALLER } from './toolsetFor.ts';

/** Selectors that cannot be used, and groups that look like patterns, with their places. */
export function accessFindings({ access }: AccessConfig, settings: Settings): readonly Finding[] {
  const presets = [...BUILT_IN_PRESETS, ...Object.keys(settings.toolsetPresets)];
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
