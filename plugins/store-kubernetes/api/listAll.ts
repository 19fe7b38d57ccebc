import type { KubeApi, ListOptions } from './kubeApi.ts';
import { KubeError } from './kubeError.ts';
import type { KubeObject } from './kubeObject.ts';
import type { KubePlace } from './pathOf.ts';

const PAGE = 500;

export interface Listed {
  readonly items: readonly KubeObject[];
  /** Where a watch continues. */
  readonly version: string;
}

/** All objects of a place, read in pages. @throws KubeError */
export async function listAll(
  api: Pick<KubeApi, 'list'>,
  place: KubePlace,
  options: Omit<ListOptions, 'limit' | 'continue'> = {},
): Promise<Listed> {
  const found: KubeObject[] = [];
  let rest: string | undefined;
  let version: string | undefined;
  do {
    const { items, metadata } = (await api.list(place, { ...options, limit: PAGE, continue: rest })).object;
    // Lists of metadata have null in place of an empty list.
    if (items !== null && !Array.isArray(items))
      throw new KubeError('unreadable', 'the API server has sent no list');
    found.push(...((items ?? []) as readonly KubeObject[]));
    rest = metadata.continue === '' ? undefined : metadata.continue;
    version = metadata.resourceVersion;
  } while (rest !== undefined);
  if (version === undefined) throw new KubeError('unreadable', 'the list has no resourceVersion');
  return { items: found, version };
}
