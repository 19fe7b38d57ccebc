/** The place in config.yaml is kept, so that findings name it; schemas/config/admin.schema.json has meanings and defaults. */
export interface AdminConfig {
  readonly aggregator: { readonly admin: ListenerConfig };
}
export interface ListenerConfig {
  readonly enabled: boolean;
  readonly port: number;
  readonly bindAddress: string;
}
