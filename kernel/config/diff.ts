import { isDeepStrictEqual } from 'node:util';
import type { Resource, ResourceDiff } from '../contracts/resource.ts';

export function keyOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind}/${name}`;
}

/** Only a definition's content counts as a change, not its place in a file. */
export function diffResources(before: readonly Resource[], after: readonly Resource[]): ResourceDiff {
  const old = new Map(before.map((resource) => [keyOf(resource), resource]));
  const kept = new Set(after.map(keyOf));
  const added: Resource[] = [];
  const changed: Resource[] = [];
  for (const resource of after) {
    const former = old.get(keyOf(resource));
    if (former === undefined) added.push(resource);
    else if (!isDeepStrictEqual(content(former), content(resource))) changed.push(resource);
  }
  return { added, changed, removed: before.filter((resource) => !kept.has(keyOf(resource))) };
}

function content({ spec, labels }: Resource): unknown {
  return { spec, labels };
}
