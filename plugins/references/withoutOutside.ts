import type { Issue, Resource, ResourceDraft } from 'pegboard';
import { referencesIn } from './referencesIn.ts';
import type { ReferenceRules } from './referenceRules.ts';

/** Only definitions of this kind have references resolved. */
const SERVER = 'MCPServer';

/** Leaves out servers that refer to files outside of the folders, also those that come from files or custom resources. */
export function withoutOutside(draft: ResourceDraft, rules: ReferenceRules): ResourceDraft {
  const judged = draft.resources.map((resource) => ({ resource, issues: issuesOf(resource, rules) }));
  const issues = judged.flatMap((one) => one.issues);
  if (issues.length === 0) return draft;
  const resources = judged.filter((one) => one.issues.length === 0).map(({ resource }) => resource);
  return { ...draft, resources, issues: [...draft.issues, ...issues] };
}

function issuesOf({ kind, name, spec, origin }: Resource, rules: ReferenceRules): readonly Issue[] {
  if (kind !== SERVER) return [];
  return referencesIn(spec)
    .filter((found) => rules.isOutside(found.name))
    .map((found) => ({
      severity: 'error',
      code: 'CONFIG_INVALID',
      message: `${kind} ${name}: ${found.path.join('.')} refers to ${found.name}, which is in none of the folders of references.files in config.yaml; move the file into one of them, or add its folder`,
      definition: { kind, name },
      ...origin.locate(found.path),
    }));
}
