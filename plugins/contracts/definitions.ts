import { one } from 'pegboard';
import type { InboundRequest, JsonObject, NoDetails } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** no definition of that name */
    STORE_NOT_FOUND: NoDetails;
    /** a definition of that name exists */
    STORE_CONFLICT: NoDetails;
    /** the store refuses the write */
    STORE_FORBIDDEN: NoDetails;
    /** the store does not answer */
    STORE_UNREACHABLE: NoDetails;
    /** the sign-in of the caller is not for the API server */
    STORE_AUDIENCE: NoDetails;
  }
}

/** A definition as a store keeps it. */
export interface StoredDefinition {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
  /** Who has last written it through a tool; absent: the operator, in a file or without a sign-in. A store that does not keep it shows all as the operator's. */
  readonly registeredBy?: Writer | undefined;
}

/** Where definitions are stored: YAML files, custom resources, a third party's database. One per process.
 *  A store also taps onConfigLoad to add its definitions to the draft, and calls ConfigControl.reload() when they change. */
export interface ResourceStore {
  /** Shown as `mode` by core_mcpserver_list: `filesystem`, `kubernetes`, or a third party's own name. */
  readonly mode: string;
  /** True if it writes with the caller's own permissions, and so decides itself who may write. */
  readonly judgesWriters?: true;
  list(kind: string): Promise<readonly StoredDefinition[]>;
  get(kind: string, name: string): Promise<StoredDefinition | undefined>;
  /** Creates it. @param as the request of the caller on whose behalf the store writes, for stores with their own permissions
   *  @throws GatewayError STORE_CONFLICT if it exists, STORE_FORBIDDEN, STORE_UNREACHABLE */
  create(kind: string, definition: StoredDefinition, as?: InboundRequest): Promise<void>;
  /** Replaces `spec` and `registeredBy`; other stored metadata stays. @throws GatewayError STORE_NOT_FOUND, STORE_FORBIDDEN, STORE_UNREACHABLE */
  replace(kind: string, definition: StoredDefinition, as?: InboundRequest): Promise<void>;
  /** @throws GatewayError STORE_NOT_FOUND, STORE_FORBIDDEN, STORE_UNREACHABLE */
  delete(kind: string, name: string, as?: InboundRequest): Promise<void>;
}
export const ResourceStore = one<ResourceStore>('resource-store');

/** Who has last written a definition through a tool. */
export interface Writer {
  readonly issuer?: string;
  readonly subject: string;
}
