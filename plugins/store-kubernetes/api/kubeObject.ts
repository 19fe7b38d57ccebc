/** Part of any object of an API server. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: KubeMetadata;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly [member: string]: unknown;
}
export interface KubeMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Rises with changes of the spec; absent on kinds without a spec. */
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly [member: string]: unknown;
}
export interface KubeList {
  readonly items: readonly KubeObject[] | null;
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
}
