// Generated from schemas/config/toolsets.schema.json by npm run tables.
export interface ToolsetsConfig {
  /** Taken from toolsetPresets: named toolsets, used as preset:<name>. read-only, none and full are built in. */
  readonly toolsetPresets: Readonly<Record<string, PresetDefinition>>;
}
export interface PresetDefinition {
  /** What it is for; shown by filter_tools. */
  readonly description: string;
  /** A tool that matches any of these rules is included; without rules the preset is empty. */
  readonly include: readonly Rule[];
  /** A tool that matches any of these rules is excluded, over include. */
  readonly exclude: readonly Rule[];
}
/** Exactly one key. */
export interface Rule {
  /** A tool by its exact name. */
  readonly tool?: string;
  /** Glob on the whole tool name: *, ?, [a-z], [^a-z]. */
  readonly pattern?: string;
  /** All tools of an MCP server, by its name. */
  readonly server?: string;
  /** The tool of a workflow, by the workflow's name. */
  readonly workflow?: string;
  /** true: all tools annotated as read-only. */
  readonly readOnly?: true;
  /** All tools of another preset; in include only. */
  readonly preset?: string;
  /** All tools with a label: key=value, or a map of pairs that must all match. */
  readonly label?: string | Readonly<Record<string, string>>;
}
