import { many } from 'pegboard';
import type { InboundRequest, JsonObject, NoDetails } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** no service of that name */
    SERVICE_NOT_FOUND: NoDetails;
    /** the service does not support this operation */
    SERVICE_UNSUPPORTED: NoDetails;
    /** the service must be stopped first */
    SERVICE_RUNNING: NoDetails;
  }
}

/** One record of core_service_list. Source: requirement record.fields. */
export interface ServiceRecord {
  readonly name: string;
  readonly service_type: 'Aggregator' | 'MCPServer';
  /** `running`, `connected`, `idle`, `starting`, `stopping`, `stopped`, `failed`, `unreachable`, `auth_required` */
  readonly state: string;
  /** `healthy`, `unhealthy`, `unknown`, `checking` */
  readonly health: string;
  readonly error?: string;
  /** Cause of the error, or of the last one while it is tried again, and what helps, as readRemedy() of the kit takes it. */
  readonly remedy?: { readonly cause: string; readonly action: object };
  readonly metadata: ServiceMetadata;
}

/** What plugins read of it; it has more, for people. A service has what applies to it. Times are ISO 8601. */
export interface ServiceMetadata extends JsonObject {
  readonly type?: string;
  /** What answered at the url of a definition with type auto. */
  readonly transport?: string;
  /** What keeps a stdio server from the rest of the machine: `none`, or how and what it is granted, for people. */
  readonly confinement?: string;
  /** Hosts that its `grants.network` refused; absent if there are none. */
  readonly refusedHosts?: readonly string[];
  readonly autoStart?: boolean;
  readonly suspended?: boolean;
  readonly tools?: number;
  readonly since?: string;
  /** What is going on before the server answers, for people. */
  readonly progress?: string;
  readonly consecutiveFailures?: number;
  readonly lastError?: string;
  readonly lastErrorCode?: string;
  readonly lastAttempt?: string;
  /** How often it was begun again, by request or by itself, since its definition was added or the gateway started. */
  readonly restartCount?: number;
  readonly nextRetryAfter?: string;
  readonly lastRestartedAt?: string;
  /** What the server calls itself, and the revision that it speaks. */
  readonly serverName?: string | undefined;
  readonly serverVersion?: string | undefined;
  readonly protocolVersion?: string;
  readonly partialLists?: readonly string[];
  /** A setting that its definition should have, and why. */
  readonly recommended?: string;
}

/** A service whose life cycle core_service_* manages. */
export interface ManagedService {
  readonly name: string;
  /** @param request whose tools it counts, and with which names they collide, if that depends on the caller; nothing else does */
  status(request?: InboundRequest): ServiceRecord;
  /** What the definition of an MCP server says that it is for. */
  description?(): string | undefined;
  /** What an MCP server calls itself, for people. */
  title?(): string | undefined;
  /** Names of the tools that an MCP server offers to all callers, as they are called. */
  toolNames?(): readonly string[];
  /** The instructions of an MCP server for agents, as it declares them or as they were accepted: any length, any characters. */
  instructions?(): string | undefined;
  /** Why the instructions that it declares are not shown, and what helps; undefined if they are. */
  instructionsWithheld?(): string | undefined;
  /** The instance that the request uses, in words; undefined if all requests share one. */
  instanceFor?(request: InboundRequest): string | undefined;
  /** The connection that only the request's session or caller uses; undefined if it uses the shared one. */
  ownFor?(request: InboundRequest): OwnConnection | undefined;
  /** Resolves once the first attempt has ended, whether it succeeded or not. Absent: not supported. */
  start?(as?: InboundRequest): Promise<void>;
  stop?(as?: InboundRequest): Promise<void>;
  restart?(as?: InboundRequest): Promise<void>;
  /** What a stop costs and how to undo it; if set, a stop without `confirm: true` is refused. */
  readonly stopWarning?: string;
  /** What the process that the request's calls reach wrote on standard error; undefined if it has none yet. Absent: the
   *  service has no such process. @throws GatewayError SERVICE_UNSUPPORTED */
  output?(request: InboundRequest, query: OutputQuery): ServiceOutput | undefined;
}

export interface OutputQuery {
  /** How many at most. */
  readonly lines: number;
  /** `next` of an earlier answer: only what followed it. */
  readonly after?: string | undefined;
}
/** Lines in order of time, without secrets. */
export interface ServiceOutput {
  readonly lines: readonly OutputLine[];
  readonly next: string;
  /** Lines after `after` that are not kept any more; absent if there are none. */
  readonly missed?: number;
}
/** A line, or the start of a process. `time` is ISO 8601. */
export type OutputLine =
  { readonly time: string; readonly text: string } | { readonly time: string; readonly started: true };
/** A connection to an MCP server that one session or one caller uses. */
export interface OwnConnection {
  /** As ServiceRecord.state; `none` until a call begins it. */
  readonly state: string;
  /** Ends it, and begins it again if it needs no call for that. @throws GatewayError UPSTREAM_* */
  reconnect(): Promise<void>;
}

export interface ServiceSource {
  /** The order is stable. */
  services(): readonly ManagedService[];
}
export const ServiceSource = many<ServiceSource>('service-source');

/** Facts that a plugin adds to the metadata of the service mcp-aggregator. */
export interface AggregatorFacts {
  facts(): JsonObject;
}
export const AggregatorFacts = many<AggregatorFacts>('aggregator-facts');
