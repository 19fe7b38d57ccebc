/** `references` of config.yaml; schemas/config/references.schema.json has meanings and defaults. */
export interface ReferencesConfig {
  readonly references: {
    readonly allow: readonly string[];
    readonly files?: readonly string[];
  };
}
