import { one } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** Objects of a kind, as in `/apis/apps/v1/…/deployments`. */
export interface ClusterKind {
  /** Empty: the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}
export interface ClusterObject extends JsonObject {
  readonly metadata: JsonObject & {
    readonly name: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
  };
}
export interface ClusterLog {
  readonly pod: string;
  readonly container: string;
  /** Lines since then, RFC 3339; absent: the last 200. */
  readonly since: string | undefined;
}

/** Objects of the cluster in the namespace of the gateway's definitions. Each request has a time limit and shares the pace of status
 *  and Events. @throws Error with the words of the API server, with its `status` */
export interface ClusterObjects {
  namespace(): string;
  /** Whether this process is the one of all replicas that writes. */
  mayWrite(): boolean;
  /** What an object that goes with a definition names as its owner; undefined if that has no object there. */
  ownerOf(kind: string, name: string): JsonObject | undefined;
  list(kind: ClusterKind, labelSelector: string): Promise<readonly ClusterObject[]>;
  /** @returns undefined if there is one of that name */
  create(kind: ClusterKind, object: ClusterObject): Promise<ClusterObject | undefined>;
  /** Puts the object in the place of the one that has its name; with a resourceVersion only of that one. */
  replace(kind: ClusterKind, object: ClusterObject): Promise<ClusterObject>;
  /** Resolves also if it is gone. */
  remove(kind: ClusterKind, name: string, uid: string | undefined): Promise<void>;
  /** Reads a log as it is written, until it ends or the signal is aborted. */
  log(log: ClusterLog, hear: (chunk: Buffer) => void, signal: AbortSignal): Promise<void>;
}
export const ClusterObjects = one<ClusterObjects>('cluster-objects');
