/** Members that make an event visible in core_events, if it also has a `server` or a `workflow`. */
export interface Notice {
  /** The name that operators see, such as `MCPServerStarted`. */
  readonly reason: string;
  /** One sentence, without secrets. */
  readonly message: string;
  readonly severity: 'Normal' | 'Warning';
  /** `callerKey` of the signed-in caller who alone may see it; absent: everyone may. */
  readonly owner?: string | undefined;
}
