/** Facts by which core_events shows an event to operators; it needs a `server` or a `workflow` beside them. */
export interface Notice {
  /** As operators know it: `MCPServerStarted`. */
  readonly reason: string;
  /** One sentence, without secrets. */
  readonly message: string;
  readonly severity: 'Normal' | 'Warning';
}
