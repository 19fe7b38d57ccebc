import type { ErrorCode } from './errorCodes.ts';
import type { Finding } from './finding.ts';
import type { JsonObject, JsonSchema } from './json.ts';
import type { Settings } from './settings.ts';

/** The place of a value, for messages. */
export interface Position {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}
/** One problem in the configuration: where it is, what it is, and what to do. */
export interface Issue extends Position {
  readonly severity: 'error' | 'warning';
  readonly code: ErrorCode;
  readonly message: string;
  /** The definition that has the problem; no other is affected. */
  readonly definition?: { readonly kind: string; readonly name: string };
}

export interface Origin {
  /** The whole text of the file that it was read from. */
  readonly text?: string;
  /** Position of the value at `path` (keys and indexes), or of its nearest parent. */
  locate(path: readonly (string | number)[]): Position;
}

/** A definition: one MCP server, one workflow. */
export interface Resource {
  readonly kind: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Validated against the kind's schema, defaults filled in. */
  readonly spec: JsonObject;
  /** The model that `read` of the kind returned. */
  readonly model?: unknown;
  readonly origin: Origin;
}

/** Filled by onConfigLoad taps: definitions, and those that could not be read. */
export interface ResourceDraft {
  readonly resources: readonly Resource[];
  /** Definitions that exist but cannot be read now; their last good version stays. */
  readonly unreadable: readonly { readonly kind: string; readonly name: string }[];
  readonly issues: readonly Issue[];
  /** True: a definition with errors prevents the start; else it is left out. */
  readonly isStrict?: boolean;
}

/** What changed, by kind and name. */
export interface ResourceDiff {
  readonly added: readonly Resource[];
  readonly changed: readonly Resource[];
  readonly removed: readonly Resource[];
}

/** A kind of definition that a plugin owns. */
export interface ResourceKind {
  /** As in `kind: MCPServer`. */
  readonly name: string;
  /** Folder below the configuration directory, `mcpservers`. */
  readonly directory: string;
  /** Schema of `spec`. */
  readonly schema: JsonSchema;
  /** Adds to what is said where a spec does not conform to the schema. Pure. */
  explain?(misfits: readonly Finding[], spec: JsonObject): readonly Finding[];
  /** Reads a spec that conforms to the schema, once per reload. Pure. @returns its model, and findings no schema can express */
  read?(spec: JsonObject, name: string): ReadSpec;
  /** Finds problems between definitions of the kind, such as cycles. Pure. @param resources those without errors */
  relate?(resources: readonly Resource[]): readonly ResourceFinding[];
  /** Names of the tools that a definition adds, as far as they are known without starting it. Pure. */
  toolNames?(spec: JsonObject, name: string, settings: Settings): ToolNames;
}
export interface ReadSpec {
  /** Kept as `Resource.model`. */
  readonly model?: unknown;
  readonly findings: readonly Finding[];
}

export interface ResourceFinding extends Finding {
  readonly resource: Resource;
}

/** Names of the tools that a definition adds: one name, or every name with this prefix. */
export type ToolNames = { readonly exact: string } | { readonly prefix: string };
