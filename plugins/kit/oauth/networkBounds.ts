/** Bounds of requests to issuers and downstream providers: below the patience of most clients, so that they get an answer. */
export const NETWORK_BOUNDS = { allowHttp: 'loopback', timeoutMs: 10_000, maxBytes: 1_048_576 } as const;
