import type { Issue } from '../contracts/config.ts';
import type { Finding } from '../contracts/finding.ts';
import type { ReadSpec, Resource, ResourceDraft, ResourceKind } from '../contracts/resource.ts';
import { messageOf } from '../errors.ts';
import { definitionNameFault } from '../lib/definitionNameFault.ts';
import { didYouMean } from '../lib/nearest.ts';
import { keyOf } from './diff.ts';
import { validate } from './validate.ts';

export interface LoadedResources {
  readonly resources: readonly Resource[];
  readonly issues: readonly Issue[];
  /** Whether a definition with errors prevents the start. */
  readonly isStrict: boolean;
}

/** Validates each definition of the draft on its own: a broken one keeps its last good version.
 *  @param lastGood the definitions in force */
export function acceptResources(
  draft: ResourceDraft,
  kinds: readonly ResourceKind[],
  lastGood: readonly Resource[],
): LoadedResources {
  const goodByKey = new Map(lastGood.map((resource) => [keyOf(resource), resource]));
  const accepted = new Map<string, Resource>();
  const fresh: Resource[] = [];
  const issues: Issue[] = [...draft.issues];
  const keep = (key: string): void => {
    const good = goodByKey.get(key);
    if (good !== undefined && !accepted.has(key)) accepted.set(key, good);
  };
  for (const resource of draft.resources) {
    const key = keyOf(resource);
    const first = accepted.get(key);
    if (first !== undefined) {
      const { file = 'another place', line = 1 } = first.origin.locate([]);
      const message = `it is defined already in ${file}:${line}; rename one`;
      issues.push(toIssue(resource, { path: ['name'], message }));
      continue;
    }
    const checked = checkResource(resource, kinds);
    issues.push(...checked.issues);
    if (checked.resource === undefined) keep(key);
    else {
      accepted.set(key, checked.resource);
      fresh.push(checked.resource);
    }
  }
  for (const kind of kinds) {
    const own = fresh.filter((resource) => resource.kind === kind.name);
    for (const { resource, ...finding } of kind.relate?.(own) ?? []) {
      issues.push(toIssue(resource, finding));
      if (finding.severity !== 'warning') accepted.delete(keyOf(resource));
      keep(keyOf(resource));
    }
  }
  for (const missing of draft.unreadable) keep(keyOf(missing));
  return { resources: [...accepted.values()], issues, isStrict: draft.isStrict === true };
}

/** Checks one definition against its kind. `resource` is undefined if it has errors. */
export function checkResource(
  resource: Resource,
  kinds: readonly ResourceKind[],
): { resource: Resource | undefined; issues: readonly Issue[] } {
  const kind = kinds.find(({ name }) => name === resource.kind);
  if (kind === undefined) {
    const known = kinds.map(({ name }) => name);
    const fix = didYouMean(resource.kind, known, `known kinds: ${known.join(', ')}`);
    const message = `no running plugin knows the kind ${resource.kind}; ${fix}`;
    return {
      resource: undefined,
      issues: [{ ...toIssue(resource, { path: ['kind'], message }), code: 'CONFIG_REFERENCE' }],
    };
  }
  const { value, findings } = validate(kind.schema, resource.spec);
  const spec = value as Resource['spec'];
  const read = readSpec(kind, { ...resource, spec }, findings);
  const issues = read.findings.map((finding) => toIssue(resource, finding));
  if (issues.some(({ severity }) => severity === 'error')) return { resource: undefined, issues };
  return { resource: { ...resource, spec, model: read.model }, issues };
}

/** A `read` function that throws fails only its own definition. */
function readSpec(kind: ResourceKind, { spec, name }: Resource, misfits: readonly Finding[]): ReadSpec {
  const unfit = definitionNameFault(name);
  const named = unfit === undefined ? [] : [{ path: ['name'], message: unfit }];
  try {
    if (misfits.length > 0) return { findings: kind.explain?.(misfits, spec) ?? misfits };
    const { model, findings } = kind.read?.(spec, name) ?? { findings: [] };
    return { model, findings: [...named, ...findings] };
  } catch (error) {
    return { findings: [...named, { path: [], message: `its check failed: ${messageOf(error)}` }] };
  }
}

function toIssue(resource: Resource, { path, message, severity = 'error' }: Finding): Issue {
  const { kind, name, origin } = resource;
  const about = { message: `${kind} ${name}: ${message}`, definition: { kind, name } };
  return { severity, code: 'CONFIG_INVALID', ...about, ...origin.locate(path) };
}
