import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../api/kubeObject.ts';

export type ObjectChange =
  | {
      readonly type: 'applied';
      readonly name: string;
      readonly object: KubeObject;
      /** Spec, labels, annotations and deletion mark are the former ones. */
      readonly isStatusOnly: boolean;
    }
  | {
      readonly type: 'deleted';
      readonly name: string;
      /** Its last known version. */
      readonly object: KubeObject;
    };

/** The objects of a plural by name, and what each event or list changes in them. */
export class ObjectMap {
  readonly #objects = new Map<string, KubeObject>();

  get objects(): ReadonlyMap<string, KubeObject> {
    return this.#objects;
  }

  /** @returns one change; two if an object of that name was replaced; none if it is known */
  apply(object: KubeObject): readonly ObjectChange[] {
    const { name, uid, resourceVersion } = object.metadata;
    const former = this.#objects.get(name);
    const isKnown = former?.metadata.uid === uid && former?.metadata.resourceVersion === resourceVersion;
    // After a change of their definition, the API server shows the same versions with other fields.
    if (isKnown && isDeepStrictEqual(former?.spec, object.spec)) return [];
    this.#objects.set(name, object);
    if (former !== undefined && former.metadata.uid !== uid)
      return [
        { type: 'deleted', name, object: former },
        { type: 'applied', name, object, isStatusOnly: false },
      ];
    return [{ type: 'applied', name, object, isStatusOnly: former !== undefined && isSame(former, object) }];
  }

  /** @param object its last version @returns nothing if it is not known, or another one has its name */
  delete(object: KubeObject): readonly ObjectChange[] {
    const { name, uid } = object.metadata;
    if (this.#objects.get(name)?.metadata.uid !== uid || !this.#objects.delete(name)) return [];
    return [{ type: 'deleted', name, object }];
  }

  /** Takes a complete list: what it lacks was deleted meanwhile. @returns deletions first */
  replaceAll(objects: readonly KubeObject[]): readonly ObjectChange[] {
    const names = new Set(objects.map(({ metadata }) => metadata.name));
    const gone = [...this.#objects].filter(([name]) => !names.has(name));
    const changes = objects.flatMap((object) => this.apply(object));
    const deleted = gone.flatMap(([, object]) => this.delete(object));
    return [...deleted, ...changes];
  }
}

/** Kinds without a generation have no status to tell apart. */
function isSame({ metadata: a, spec }: KubeObject, { metadata: b, spec: other }: KubeObject): boolean {
  return (
    a.generation !== undefined &&
    a.generation === b.generation &&
    a.deletionTimestamp === b.deletionTimestamp &&
    isDeepStrictEqual([a.labels, a.annotations, spec], [b.labels, b.annotations, other])
  );
}
