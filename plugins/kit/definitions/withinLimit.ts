import { isObject } from 'pegboard';
import type { Resource, ReviewFinding } from 'pegboard';

/** What holds of a limit: a definition lowers that of the operator, and never raises it. Of both, 0 is unlimited. */
export function withinLimit(granted: number | undefined, most: number): number {
  if (granted === undefined || granted === 0) return most;
  return most === 0 ? granted : Math.min(granted, most);
}

export interface LimitsInForce {
  /** What the operator allows, by the keys of `grants`. */
  readonly limits: Readonly<Record<string, number>>;
  readonly plugin: string;
}

/** Grants of a definition that the operator's limits lower. */
export function beyondLimits(
  resource: Resource,
  { limits, plugin }: LimitsInForce,
): readonly ReviewFinding[] {
  const { grants } = resource.spec;
  if (!isObject(grants)) return [];
  return Object.entries(limits)
    .filter(([key, most]) => {
      const granted = grants[key];
      return typeof granted === 'number' && withinLimit(granted, most) !== granted;
    })
    .map(([key, most]) => ({
      resource,
      path: ['grants', key],
      message: `grants.${key} asks for more than ${most}, to which ${key} of the plugin ${plugin} limits it; lower it, or have the operator raise that`,
      severity: 'warning',
    }));
}
