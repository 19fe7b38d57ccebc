import type { ErrorCode } from './errorCodes.ts';
import type { Finding } from './finding.ts';
import type { JsonObject, JsonSchema } from './json.ts';
import type { Settings } from './settings.ts';

/** Where a value stands, for messages. */
export interface Position {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}
/** One thing wrong with the configuration: where, what, and what to do. */
export interface Issue extends Position {
  readonly severity: 'error' | 'warning';
  readonly code: ErrorCode;
  readonly message: string;
  /** The definition that is wrong, and alone suffers from it. */
  readonly definition?: { readonly kind: string; readonly name: string };
}

export interface Origin {
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
  /** What `read` of the kind made of the spec. */
  readonly model?: unknown;
  readonly origin: Origin;
}

/** What onConfigLoad taps fill: definitions, and what could not be read. */
export interface ResourceDraft {
  readonly resources: readonly Resource[];
  /** Definitions that exist but cannot be read now; their last good version stays. */
  readonly unreadable: readonly { readonly kind: string; readonly name: string }[];
  readonly issues: readonly Issue[];
  /** True: a definition that is wrong refuses the start; else it is left out. */
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
  /** Of `spec`. */
  readonly schema: JsonSchema;
  /** Reads a spec that keeps the schema, once a reload. Pure. @returns its model, and what a schema cannot say */
  read?(spec: JsonObject, name: string): ReadSpec;
  /** What only the definitions of the kind together show, such as circles. Pure. @param resources those without errors */
  relate?(resources: readonly Resource[]): readonly ResourceFinding[];
  /** Names of the tools that a definition brings, as far as they are known without starting it. Pure. */
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

/** Names of the tools that a definition brings: this one, or any that begin so. */
export type ToolNames = { readonly exact: string } | { readonly prefix: string };
