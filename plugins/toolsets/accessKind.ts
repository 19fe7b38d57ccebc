import { readSchema } from 'pegboard';
import type { ResourceKind } from 'pegboard';
import { accessRuleFindings } from '../kit/authority/accessFindings.ts';
import { ACCESS } from '../kit/authority/toolsetFor.ts';
import type { AccessRule } from '../kit/authority/toolsetFor.ts';
import { selectorParts } from '../kit/calls/selectors.ts';

/** An entry of `access` that a team keeps in a file or custom resource of its own. It makes no caller an operator. */
export const accessKind: ResourceKind = {
  name: ACCESS,
  directory: 'accesses',
  schema: readSchema('kinds/access'),
  read: (spec) => {
    const rule = spec as unknown as AccessRule;
    // Their presets may come later: until then the entry gives nothing.
    const presets = rule.toolset.map((selector) => selectorParts(selector)[1]);
    return { model: rule, findings: accessRuleFindings(rule, presets) };
  },
};
