// Generated from schemas/config/upstream.schema.json by npm run tables.
export interface UpstreamConfig {
  /** Taken from aggregator.servicePrefix: first part of exposed names. */
  readonly servicePrefix: string;
  /** PEM file of further certificate authorities; filled from aggregator.extraCaFile. */
  readonly extraCaFile?: string;
  /** Proxy of remote servers; filled from aggregator.proxy. */
  readonly proxy?: string;
  /** Hosts that are reached without it; filled from aggregator.noProxy. */
  readonly noProxy?: readonly string[];
  /** Environment variables of Pegboard that stdio servers inherit; everything else comes from the definition. */
  readonly inheritEnv: readonly string[];
  /** How stdio servers whose definition does not say are kept from the rest of the machine; the others need the
   *  plugin isolate. */
  readonly isolate: 'none' | 'sandbox' | 'container';
  /** How long a call may be silent; progress starts it anew. A definition overrides it with callTimeout, and
   *  for single tools with callTimeouts (seconds). */
  readonly callTimeoutMs: number;
  /** How long a call may take in all, progress or not. */
  readonly callMaxMs: number;
  /** Resolution of the time-outs of calls. */
  readonly deadlineTickMs: number;
  /** Largest message read from a server; a stdio server that sends a longer line is restarted. */
  readonly maxMessageBytes: number;
  /** Longest id of a server's event after which a broken stream is taken up again; longer ones, and those that
   *  no header can hold, are passed over. */
  readonly maxEventIdBytes: number;
  /** Largest backlog towards a stdio server that does not read its input; calls beyond it are refused, answers
   *  and notices left out. */
  readonly maxQueuedBytes: number;
  /** Lines and events that one server may send in a second though they answer no request, and twice as many at
   *  once; requests and unreadable JSON count as twenty, each further 4 KiB as one more, blank lines, standard
   *  error and progress of a running call as a sixteenth. Beyond it the connection is closed, and the server is
   *  tried again with backoff. */
  readonly maxUnaskedPerSecond: number;
  /** How long a stdio server has to end by itself once its input is closed. */
  readonly stdinGraceMs: number;
  /** How long its process group has after SIGTERM before SIGKILL. */
  readonly termGraceMs: number;
  /** How long running calls are waited for when a server is stopped or its definition changes. */
  readonly drainMs: number;
  /** How often the secrets of the platform that connections use are read again; a connection with another text
   *  is renewed. 0 switches it off. */
  readonly rereadSecretsMs: number;
  /** How many stdio servers start at a time when Pegboard starts; one that takes more than five seconds lets
   *  the next begin. Runners take turns of their own. */
  readonly maxStarting: number;
  /** First wait before a server that failed is tried again; doubles each time, with jitter. A server that ran
   *  and died is tried once at once before. */
  readonly backoffFirstMs: number;
  /** Longest wait between two attempts. */
  readonly backoffMaxMs: number;
  /** Longest wait that a remote server may ask for with Retry-After before it is tried again. */
  readonly maxRetryAfterMs: number;
  /** A connection that lasted this long makes the next failure the first again. */
  readonly healthyAfterMs: number;
  /** A call waits for the next attempt when that is at most this far away; else it fails at once. */
  readonly retryWaitMs: number;
  /** Failures in a row after which a remote server is called unreachable. */
  readonly unreachableAfter: number;
  /** How often an idle remote server is asked whether it is still there; 0 switches it off. */
  readonly pingIntervalMs: number;
  /** How long list_changed notifications are gathered before the list is read again. */
  readonly listDebounceMs: number;
  /** Longest such wait: it doubles with every reading that announcements follow before it has passed again. */
  readonly maxListDebounceMs: number;
  /** Pages read of one list. */
  readonly maxListPages: number;
  /** Items read of one list. */
  readonly maxListItems: number;
  /** HTTP connections to one server. */
  readonly maxConnections: number;
  /** How many of maxConnections may be busy at a time with what has no answer: notifications, and answers to
   *  questions of the server; at most a quarter. Others wait. */
  readonly maxNotices: number;
  /** How long such a request may take, and how long one whose call has been answered otherwise; then its
   *  connection is closed. */
  readonly noticeTimeoutMs: number;
  /** Longest exposed name; longer ones are cut and get a hash. */
  readonly maxNameChars: number;
  /** Longest uri or uri template that a server may list; a longer one is left out. Also the longest uri that is
   *  matched against templates; a longer one is of none. */
  readonly maxUriChars: number;
  /** Names of tools that went away and are still explained. */
  readonly maxTombstones: number;
  /** Longest line of a server (standard error, noise on standard output) in the log and the status. */
  readonly maxLogLineChars: number;
  /** Lines of one server that are logged in one second; more are counted. */
  readonly maxLogLinesPerSecond: number;
  /** Log messages of one server that are delivered to clients in one second (one message to ten clients is
   *  ten); more are left out and counted. */
  readonly maxRelayedPerSecond: number;
  /** Last lines of standard error that are kept for error messages, besides the first. */
  readonly stderrTailLines: number;
  /** Last lines of the standard error of each process that core_server_logs shows; 0 keeps none. */
  readonly stderrKeptLines: number;
  /** Characters that these lines have together at most. */
  readonly stderrKeptChars: number;
  /** What servers may ask of the client whose call they run, and are told so. Of roots, a server may serve to
   *  all what one client brings. */
  readonly questions: readonly ('elicitation' | 'sampling' | 'roots')[];
  /** How long a client may take to answer a server's question; the call is not called silent meanwhile. */
  readonly questionTimeoutMs: number;
  /** Largest question of a server that is put to a client; in 2026-07-28 all questions of one round. */
  readonly maxQuestionBytes: number;
  /** How long a call that was cancelled or timed out still counts when a server speaks without saying of which
   *  call. */
  readonly lateMs: number;
  /** Calls of one server that are counted so; with more, its messages outside of streams are attributed to no
   *  client for lateMs. */
  readonly maxLateCalls: number;
  /** Questions answered in a browser whose end a server may still report. */
  readonly maxUrlElicitations: number;
  /** How long the end of an HTTP session may take to be told to its server. */
  readonly closeTimeoutMs: number;
  /** Wait before a broken event stream is taken up again when the server names none. */
  readonly resumeMs: number;
  /** Shortest wait before a broken event stream is taken up again, whatever the server names. */
  readonly minResumeMs: number;
  /** Longest wait before a standing stream that keeps ending without a message is taken up again when the
   *  server names none. */
  readonly maxResumeMs: number;
  /** How often in a row the event stream of one call is taken up again without anything new. */
  readonly maxResumes: number;
  /** How often the tools of a server are listed again while it announces no changes, or there is no stream for
   *  announcements; 0 switches it off. */
  readonly relistMs: number;
}
