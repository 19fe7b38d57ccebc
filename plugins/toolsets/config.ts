/** Presets as in config.yaml, checked. */
export interface ToolsetsConfig {
  readonly toolsetPresets: Readonly<Record<string, PresetDefinition>>;
}
export interface PresetDefinition {
  readonly description: string;
  readonly include: readonly Rule[];
  readonly exclude: readonly Rule[];
}
/** Exactly one key is set. */
export interface Rule {
  readonly tool?: string;
  readonly pattern?: string;
  readonly server?: string;
  readonly workflow?: string;
  readonly readOnly?: true;
  readonly preset?: string;
  /** `key=value`, or a map of pairs that must all match. */
  readonly label?: string | Readonly<Record<string, string>>;
}
