/** A plural, or one object of it. */
export interface KubePlace {
  /** Empty: the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** Absent: cluster-wide. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}
export type KubeQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** The path of a request. Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris */
export function pathOf(
  { group, version, plural, namespace, name, subresource }: KubePlace,
  query: KubeQuery = {},
): string {
  const steps = [
    ...(group === '' ? ['api'] : ['apis', group]),
    version,
    ...(namespace === undefined ? [] : ['namespaces', namespace]),
    plural,
    ...(name === undefined ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  const asked = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) asked.set(key, String(value));
  return `/${steps.map(encodeStep).join('/')}${asked.size > 0 ? `?${asked.toString()}` : ''}`;
}

/** URLs drop steps of dots, so that a name could lead to another path. */
function encodeStep(step: string): string {
  if (step === '' || step === '.' || step === '..') throw new TypeError(`"${step}" does not name an object`);
  return encodeURIComponent(step);
}
