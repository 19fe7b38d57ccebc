/** `access` of config.yaml; schemas/config/access.schema.json has meanings. The key is kept, so that findings name the line. */
export interface AccessConfig {
  readonly access: readonly AccessEntry[];
}
export interface AccessEntry {
  readonly groups: readonly string[];
  /** Selectors, as in the header X-Service-Toolset. */
  readonly toolset: readonly string[];
  /** What the groups may do with the gateway itself; the plugin `operators` reads it. */
  readonly operator?: 'operate' | 'define';
}
