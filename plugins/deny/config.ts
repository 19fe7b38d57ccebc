// Generated from schemas/config/deny.schema.json by npm run tables.
export interface DenyConfig {
  /** Tools that no caller may see or call, by name or by pattern (`*`, `?`, `[a-z]`): `x_github_delete_*`,
   *  `core_config_*`, … */
  readonly tools: readonly string[];
  /** Resources and resource templates that no caller may see or read, by uri or by pattern: `file:///etc/*`, … */
  readonly resources: readonly string[];
  /** Prompts that no caller may see or get, by name or by pattern: `x_github_*`, … */
  readonly prompts: readonly string[];
  /** Servers whose tools, resources and prompts no caller may see or use, by name or by pattern. */
  readonly servers: readonly string[];
  /** Whether tools that declare destructiveHint: true are denied, core tools included. */
  readonly destructive: boolean;
  /** Names or patterns of tools that are allowed nevertheless. */
  readonly except: readonly string[];
}
