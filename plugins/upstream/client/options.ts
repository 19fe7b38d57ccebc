/** What a server may ask of a client. */
export type Topic = 'elicitation' | 'sampling' | 'roots';
export const ALL_TOPICS: readonly Topic[] = ['elicitation', 'sampling', 'roots'];

/** Legacy: up to 2025-11-25, with a handshake. Modern: from 2026-07-28 on, each request declares its client. */
export type Era = 'legacy' | 'modern';

/** The longest time a call may go without progress, and its longest duration. */
export interface RequestLimits {
  readonly silenceMs: number;
  readonly totalMs: number;
}

/** The two ways over HTTP. */
export type RemoteTransport = 'streamable-http' | 'sse';
export type Transport = 'stdio' | RemoteTransport;

/** How a server is spoken to; it may change while the server is connected. */
export interface ServerOptions {
  /** auto: over HTTP, found out when connecting. */
  readonly type: Transport | 'auto';
  /** auto: found out when connecting. */
  readonly revision: 'auto' | Era;
  /** How long a request other than a call may take. */
  readonly timeoutMs: number;
  readonly callTimeoutMs: number | undefined;
  /** Keyed by the server's own tool names. */
  readonly toolTimeoutsMs: ReadonlyMap<string, number>;
}

/** Time limits of one call. @param tool the server's own name; undefined if the request does not call a tool */
export function callLimitsOf(
  tool: string | undefined,
  { callTimeoutMs: own, toolTimeoutsMs }: ServerOptions,
  { callTimeoutMs, callMaxMs }: { readonly callTimeoutMs: number; readonly callMaxMs: number },
): RequestLimits {
  const silenceMs = toolTimeoutsMs.get(tool ?? '') ?? own ?? callTimeoutMs;
  return { silenceMs, totalMs: Math.max(silenceMs, callMaxMs) };
}
