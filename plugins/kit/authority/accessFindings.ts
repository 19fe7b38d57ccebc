import type { Finding } from 'pegboard';
import { BUILT_IN_PRESETS } from '../../contracts/toolsets.ts';
import { selectorFault } from '../calls/selectors.ts';
import { EVERY_CALLER } from './toolsetFor.ts';
import type { AccessRule } from './toolsetFor.ts';

/** Selectors that cannot be used, and groups that look like patterns, with their places. @param own names of presets that are not built in */
export function accessFindings(access: readonly AccessRule[], own: readonly string[]): readonly Finding[] {
  return access.flatMap((rule, at) =>
    accessRuleFindings(rule, own).map(({ path, message, ...more }) => ({
      ...more,
      path: ['access', at, ...path],
      message: `access[${at}]: ${message}`,
    })),
  );
}

/** As accessFindings() for one entry, with paths within it. */
export function accessRuleFindings(
  { groups, toolset }: AccessRule,
  own: readonly string[],
): readonly Finding[] {
  const presets = [...BUILT_IN_PRESETS, ...own];
  return [
    ...toolset.flatMap((selector, which): Finding[] => {
      const fault = selectorFault(selector, presets);
      return fault === undefined ? [] : [{ path: ['toolset', which], message: `toolset ${fault}` }];
    }),
    ...groups.flatMap((group, which): Finding[] => {
      if (group === EVERY_CALLER || !group.includes('*')) return [];
      const message = `groups are compared exactly, so ${group} is not a pattern; * alone is every caller`;
      return [{ path: ['groups', which], message, severity: 'warning' }];
    }),
  ];
}
