// Generated from schemas/config/admin.schema.json by npm run tables.
export interface AdminConfig {
  /** Taken from config.yaml. */
  readonly aggregator: {
    /** The admin pages. */
    readonly admin: ListenerConfig;
  };
}
export interface ListenerConfig {
  /** Whether the admin pages are served. */
  readonly enabled: boolean;
  /** TCP port of the admin pages; 0 takes a free one and logs it. */
  readonly port: number;
  /** Address to listen on. The pages have no sign-in: with any other than a loopback address, everyone who can
   *  connect can use them. */
  readonly bindAddress: string;
}
