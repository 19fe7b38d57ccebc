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
  /** Address to listen on. Without signIn, everyone who can connect to another than a loopback address can use
   *  the pages. */
  readonly bindAddress: string;
  /** Whether people sign in at the pages, by aggregator.oauth.server. Operators see everything, others what is
   *  their own. */
  readonly signIn: boolean;
  /** Address by which browsers reach the pages, without a path: https://console.example.com. With signIn only,
   *  which needs it. http only for localhost. */
  readonly baseUrl: string;
}
