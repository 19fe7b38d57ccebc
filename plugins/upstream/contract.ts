import { isObject, many, one } from 'pegboard';
import type { CallOptions, InboundRequest, JsonObject, McpLogLevel, NoDetails } from 'pegboard';
import type { Notice } from '../core-events/contract.ts';

declare module 'pegboard' {
  interface ErrorCodes {
    /** an MCP server cannot be reached now */
    UPSTREAM_UNREACHABLE: NoDetails;
    /** an MCP server did not answer in time */
    UPSTREAM_TIMEOUT: NoDetails;
    /** an MCP server wants the caller to sign in */
    UPSTREAM_AUTH_REQUIRED: NoDetails;
    /** an MCP server is stopped on purpose */
    UPSTREAM_SUSPENDED: NoDetails;
    /** an MCP server runs the tool as a task only */
    UPSTREAM_TASK_ONLY: NoDetails;
    /** an MCP server went away during the call */
    UPSTREAM_CLOSED: NoDetails;
    /** an MCP server answered what the protocol does not allow */
    UPSTREAM_PROTOCOL: {
      /** No later attempt would change that. */
      readonly isFinal?: boolean;
    };
    /** an MCP server answered with an error */
    UPSTREAM_ERROR: {
      /** Of the server's JSON-RPC error, as it came. */
      readonly code?: unknown;
      readonly data?: unknown;
    };
  }
  interface EventMap {
    'server.stateChanged': {
      readonly server: string;
      readonly state: string;
      readonly health: string;
      readonly error?: string;
    };
    'server.connected': {
      readonly server: string;
      readonly tools: number;
      /** Left out as malformed, or because another server has the name. */
      readonly refusedTools: number;
      readonly ms: number;
    };
    'server.disconnected': { readonly server: string; readonly reason: string };
    /** Names of the catalogue. */
    'server.toolsChanged': {
      readonly server: string;
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly changed: readonly string[];
    };
    'server.resourcesChanged': ListChange;
    'server.resourceTemplatesChanged': ListChange;
    'server.promptsChanged': ListChange;
    'server.starting': ServerNotice;
    'server.started': ServerNotice;
    'server.stopped': ServerNotice;
    'server.restarting': ServerNotice;
    'server.failed': ServerNotice;
    'server.toolsDiscovered': ServerNotice;
    'server.toolsUnavailable': ServerNotice;
    'server.healthCheckFailed': ServerNotice;
    'server.recoveryStarted': ServerNotice;
    'server.recoverySucceeded': ServerNotice;
    'server.recoveryFailed': ServerNotice;
    'server.authRequired': ServerNotice;
    /** Two servers, or a server and Pegboard, want one name. */
    'tool.collided': {
      /** Of resources and prompts: which list. */
      readonly what?: string;
      readonly name: string;
      readonly winner: string;
      readonly loser: string;
    };
    'tool.malformed': { readonly server: string; readonly tool: string };
  }
  interface ErrorDetails {
    readonly server?: string;
    /** Whether the tool may have run although the call failed. */
    readonly mayHaveRun?: boolean;
    /** For how long the server had said too much unasked when its connection was ended for that. */
    readonly floodedMs?: number;
    /** What the JSON-RPC error that the server answered says, without what the server was given. */
    readonly serverMessage?: string;
    /** The HTTP status that the server answered. */
    readonly status?: number;
    /** The state of the server. */
    readonly state?: string;
    /** When the next attempt to connect begins, RFC 3339. */
    readonly nextRetryAfter?: string;
  }
}

/** `details.code` of an UPSTREAM_ERROR: the server wants something done in a browser first.
 *  Source: MCP 2025-11-25, URLElicitationRequiredError. */
export const URL_ELICITATION_REQUIRED = -32042;

/** MCP resources (not definitions): listing entries as their server declared them, with a unique uri. The source itself asks
 *  `ToolTable.refusal` of each: what a request may not see it neither lists nor reads, and a watch of it falls silent. */
export interface McpResourceSource {
  resources(request: InboundRequest): readonly JsonObject[];
  templates(request: InboundRequest): readonly JsonObject[];
  /** @returns the complete `resources/read` result as JSON text, or undefined when the uri is not this source's. */
  read(uri: string, request: InboundRequest, options: CallOptions): Promise<string> | undefined;
  /** Calls `updated` with every change of the resource. Absent: nothing can be subscribed to.
   *  @returns once subscribed, the function that ends it; undefined when the uri is not this source's */
  subscribe?(uri: string, request: InboundRequest, updated: () => void): Promise<() => void> | undefined;
}
export const McpResourceSource = many<McpResourceSource>('mcp-resource-source');

/** MCP prompts, with unique names. The source itself asks `ToolTable.refusal` of each. */
export interface McpPromptSource {
  prompts(request: InboundRequest): readonly JsonObject[];
  /** @returns the complete `prompts/get` result as JSON text, or undefined when the name is not this source's. */
  get(
    name: string,
    args: JsonObject,
    request: InboundRequest,
    options: CallOptions,
  ): Promise<string> | undefined;
}
export const McpPromptSource = many<McpPromptSource>('mcp-prompt-source');

/** Suggestions for arguments of prompts and resource templates. */
export interface McpCompletionSource {
  /** @param params of `completion/complete`
   *  @returns its complete result as JSON text, or undefined when the prompt or template is not this source's */
  complete(params: JsonObject, request: InboundRequest, options: CallOptions): Promise<string> | undefined;
}
export const McpCompletionSource = many<McpCompletionSource>('mcp-completion-source');

/** What MCP servers log outside a client's request. */
export interface McpLogSource {
  /** @param listener gets the params of `notifications/message` as JSON text, and the server that says it; returns how many
   *  clients it told, which counts towards the share of that server
   *  @returns the function that stops it */
  follow(listener: (level: McpLogLevel, params: string, server: string) => number): () => void;
  /** The least severe level that any client wants; servers are told. */
  want(level: McpLogLevel): void;
}
export const McpLogSource = many<McpLogSource>('mcp-log-source');

/** Whether a server takes no plain call of a tool that it declares so. Source: MCP 2025-11-25, Tasks, Tool-Level Negotiation */
export function isTaskOnly({ execution }: JsonObject): boolean {
  return isObject(execution) && execution['taskSupport'] === 'required';
}

/** Servers whose first connection is still being made: nobody knows yet what they offer. */
export interface StartingServers {
  /** Names of those that the request may see, in a stable order. */
  names(request: InboundRequest): readonly string[];
  /** Resolves when each attempt that is under way has ended, either way. @param tool only of those whose tool that could be */
  settled(tool?: string): Promise<void>;
}
export const StartingServers = many<StartingServers>('starting-servers');

/** Looks what answers at a url, before there is a definition. */
export interface Prober {
  /** Connects as a client of either transport would, and ends the connection again. Never rejects for what the url answers. */
  probe(target: ProbeTarget): Promise<Probed>;
}
export const Prober = one<Prober>('prober');

export interface ProbeTarget {
  /** http or https, without user and password */
  readonly url: string;
  /** Sent as they are: no references are filled. */
  readonly headers: Readonly<Record<string, string>>;
  /** No longer message is read. */
  readonly maxMessageBytes: number;
  /** Ends the probe; the message of its reason is what `detail` then says. */
  readonly signal: AbortSignal;
}
/** Source: requirement server.detect */
export interface Probed {
  readonly transport: 'streamable-http' | 'sse' | 'unknown';
  /** It answered at HTTP level. */
  readonly reachable: boolean;
  /** A request was answered with 401. */
  readonly requiresAuth: boolean;
  readonly serverName?: string;
  readonly serverVersion?: string;
  /** In words, without what the server was given. */
  readonly detail: string;
}

/** What operators are told of a server. */
export interface ServerNotice extends Notice {
  readonly server: string;
  readonly tools?: number;
  readonly refusedTools?: number;
  readonly ms?: number;
  /** How many attempts in a row have failed. */
  readonly attempt?: number;
}
export interface ListChange {
  readonly server: string;
  /** How many it offers now. */
  readonly count: number;
}
