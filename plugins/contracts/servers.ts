import { many, one } from 'pegboard';
import type { InboundRequest, NoDetails } from 'pegboard';
import type { Notice } from './notices.ts';

declare module 'pegboard' {
  interface EventMap {
    'server.created': ServerNotice;
    'server.updated': ServerNotice;
    'server.deleted': ServerNotice;
    'server.stateChanged': {
      readonly server: string;
      readonly state: string;
      readonly health: string;
      readonly error?: string;
    };
    'server.connected': {
      readonly server: string;
      readonly tools: number;
      /** Tools left out: they are malformed, or another server has the name. */
      readonly refusedTools: number;
      readonly ms: number;
    };
    'server.disconnected': { readonly server: string; readonly reason: string };
    /** Exposed tool names. */
    'server.toolsChanged': {
      readonly server: string;
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly changed: readonly string[];
    };
    'server.resourcesChanged': ListChange;
    'server.resourceTemplatesChanged': ListChange;
    'server.promptsChanged': ListChange;
    /** The resources or prompts that a server lists for the requests of one caller. */
    'server.ownListsChanged': {
      readonly server: string;
      /** Owner of the caller's credential for that server. */
      readonly owner: string;
      /** Owner of the credential that a request uses for that server; undefined without one. */
      readonly ownerOf: (request: InboundRequest) => string | undefined;
    };
    'server.starting': ServerNotice;
    'server.started': ServerNotice;
    'server.stopped': ServerNotice;
    'server.restarting': ServerNotice;
    'server.failed': ServerNotice;
    'server.toolsDiscovered': ServerNotice;
    'server.toolsUnavailable': ServerNotice;
    'server.listPartial': ServerNotice;
    'server.healthCheckFailed': ServerNotice;
    'server.recoveryStarted': ServerNotice;
    'server.recoverySucceeded': ServerNotice;
    'server.recoveryFailed': ServerNotice;
    'server.authRequired': ServerNotice;
    /** Two servers, or a server and Pegboard, claim the same name. */
    'tool.collided': {
      /** Which list, for resources and prompts; absent for tools. */
      readonly what?: string;
      readonly name: string;
      readonly winner: string;
      readonly loser: string;
    };
    'tool.malformed': { readonly server: string; readonly tool: string };
  }
  interface ErrorCodes {
    /** an MCP server cannot be reached now */
    UPSTREAM_UNREACHABLE: NoDetails;
    /** an MCP server did not answer in time */
    UPSTREAM_TIMEOUT: NoDetails;
    /** an MCP server requires the caller to sign in */
    UPSTREAM_AUTH_REQUIRED: {
      /** The `WWW-Authenticate` lines of its response. */
      readonly challenges?: readonly string[];
      /** The server, if `core_auth_login` helps. */
      readonly signInAt?: string;
      /** Scopes that the caller's grant lacks. */
      readonly missingScopes?: readonly string[];
    };
    /** an MCP server has as many instances as it may have */
    UPSTREAM_FULL: NoDetails;
    /** an MCP server was stopped on request */
    UPSTREAM_SUSPENDED: NoDetails;
    /** an MCP server runs the tool as a task only */
    UPSTREAM_TASK_ONLY: NoDetails;
    /** the connection to an MCP server ended during the call */
    UPSTREAM_CLOSED: NoDetails;
    /** the answer of an MCP server violates the protocol */
    UPSTREAM_PROTOCOL: {
      /** A later attempt cannot succeed. */
      readonly isFinal?: boolean;
    };
    /** an MCP server answered with an error */
    UPSTREAM_ERROR: {
      /** `code` and `data` of the server's JSON-RPC error, unchanged. */
      readonly code?: unknown;
      readonly data?: unknown;
    };
  }
  interface ErrorDetails {
    readonly server?: string;
    /** Whether the tool may have run although the call failed. */
    readonly mayHaveRun?: boolean;
    /** The message of the server's JSON-RPC error, with secrets redacted. */
    readonly serverMessage?: string;
    /** The HTTP status of the server's response. */
    readonly status?: number;
    /** The server no longer knows the session in which the request was sent. */
    readonly isSessionLost?: boolean;
    /** The state of the server. */
    readonly state?: string;
    /** When the next attempt to connect begins, RFC 3339. */
    readonly nextRetryAfter?: string;
  }
}

/** `details.code` of an UPSTREAM_ERROR: the user must complete a step in a browser first.
 *  Source: MCP 2025-11-25, URLElicitationRequiredError. */
export const URL_ELICITATION_REQUIRED = -32042;

/** Servers that are still connecting for the first time, so that their tools are unknown. */
export interface StartingServers {
  /** Names of the starting servers that the request may see, in a stable order. */
  names(request: InboundRequest): readonly string[];
  /** Names of those whose tools are unknown because they cannot be reached, or could not be listed. */
  unlisted(request: InboundRequest): readonly string[];
  /** Resolves when the running attempts have succeeded or failed. @param tool waits only for servers that could offer it, each for its
   *  `timeout` at most */
  settled(tool?: string): Promise<void>;
  /** Has the server that could offer the tool list its tools again, at most once in 10 s. Resolves when it has, or after 5 s. */
  lookedAgain(tool: string, request: InboundRequest): Promise<void>;
}
export const StartingServers = many<StartingServers>('starting-servers');

/** Finds out which server answers at a url, before a definition exists. */
export interface Prober {
  /** Tries streamable HTTP, then the older transport, and disconnects. Never rejects because of what the url answers. */
  probe(target: ProbeTarget): Promise<Probed>;
}
export const Prober = one<Prober>('prober');

export interface ProbeTarget {
  /** http or https, without user and password */
  readonly url: string;
  /** Sent as given: references are not resolved. */
  readonly headers: Readonly<Record<string, string>>;
  /** Longer messages are not read. */
  readonly maxMessageBytes: number;
  /** Ends the probe; `detail` is then the message of its reason. */
  readonly signal: AbortSignal;
}
/** Source: requirement server.detect */
export interface Probed {
  readonly transport: 'streamable-http' | 'sse' | 'unknown';
  /** The url returned an HTTP response. */
  readonly reachable: boolean;
  /** A request was answered with 401. */
  readonly requiresAuth: boolean;
  /** The `WWW-Authenticate` lines of that answer; not redacted. */
  readonly challenges?: readonly string[];
  readonly serverName?: string;
  readonly serverVersion?: string;
  /** The finding for people, with secrets redacted. */
  readonly detail: string;
}

/** An event about a server, for operators. */
export interface ServerNotice extends Notice {
  readonly server: string;
  readonly tools?: number;
  readonly refusedTools?: number;
  readonly ms?: number;
  /** Number of consecutive failed attempts. */
  readonly attempt?: number;
}
export interface ListChange {
  readonly server: string;
  /** Number of items the server offers now. */
  readonly count: number;
}

/** How a stdio server is kept from the rest of the machine. */
export type Isolation = 'none' | 'sandbox' | 'container';

/** What a confined server may have. Absent limits are those of who confines it. */
export interface Grants {
  readonly files?: readonly { readonly path: string; readonly mode: 'ro' | 'rw' }[];
  /** `none`, `all`, or a list of hosts as readHostGrant() of the kit takes them. */
  readonly network: string | readonly string[];
  /** That of each process. */
  readonly memoryMb?: number;
  readonly cpus?: number;
  readonly processes?: number;
  readonly openFiles?: number;
}
/** A process as it is spawned. */
export interface Spawned {
  readonly command: readonly string[];
  /** Absolute; undefined: where Pegboard runs. */
  readonly folder: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Called once the process runs. @param note takes a line about the process, which is shown among its own */
  readonly begun?: (note: (line: string) => void) => void;
  /** Called once the process has ended, or could not be spawned: removes what may have outlived it. */
  readonly ended?: () => void;
}
/** A server that its definition confines. */
export interface Confined extends Spawned {
  readonly server: string;
  readonly isolate: Exclude<Isolation, 'none'>;
  readonly grants: Grants;
  readonly image: string | undefined;
}
/** Confines stdio servers. Asked by `upstream`, which starts none that should be confined while no plugin provides it. */
export interface Confinement {
  /** What to spawn in place of the server's own command: it runs that, with that environment at most.
   *  @throws GatewayError CONFIG_INVALID, UPSTREAM_UNREACHABLE with what helps, if it cannot be confined so */
  confine(wanted: Confined): Promise<Spawned>;
  /** What the latest process of a server has; undefined if none was confined yet. */
  inForce(server: string): InForce | undefined;
}
/** What confines a process now. */
export interface InForce {
  /** All of it, and what was asked for in vain, for people. */
  readonly text: string;
  /** Hosts that its grants refused, as an entry of `grants.network` would name them; not all if there were many. */
  readonly refusedHosts: readonly string[];
}
export const Confinement = one<Confinement>('confinement');

/** Where a pod answers, over streamable HTTP. */
export interface PodPlace {
  readonly url: string;
  /** 32 bytes, which both ends of TLS prove that they have. */
  readonly key: Buffer;
}
/** The pods of stdio servers with `runsIn: pod`. Asked by `upstream`, which starts none of them while no plugin provides it. */
export interface PodServers {
  /** Waits until the server has a pod that is ready.
   *  @throws GatewayError UPSTREAM_UNREACHABLE with the cluster's reason if there is none within that time, CONFIG_INVALID */
  reach(server: string, withinMs: number): Promise<PodPlace>;
  /** Reads the logs of its pods as they are written, from now on. @returns the function that ends it */
  follow(server: string, hear: (chunk: Buffer) => void): () => void;
}
export const PodServers = one<PodServers>('pod-servers');

/** What is shown to a server at https, and trusted of it: PEM files, relative to config.yaml. */
export interface TlsSpec {
  /** Authorities or certificates to trust in place of all others. */
  readonly ca?: string;
  /** Certificate to show, with those between it and its authority. */
  readonly cert?: string;
  /** Its key; absent: it is in `cert`. */
  readonly key?: string;
  /** The name in the server's certificate, if it is not that of the url. */
  readonly servername?: string;
}
