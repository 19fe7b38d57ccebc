import { many } from 'pegboard';
import type { Caller, InboundRequest, JsonObject, NoDetails } from 'pegboard';

declare module 'pegboard' {
  interface ErrorCodes {
    /** no service of that name */
    SERVICE_NOT_FOUND: NoDetails;
    /** the service does not support this operation */
    SERVICE_UNSUPPORTED: NoDetails;
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
  readonly metadata: JsonObject;
}

/** A service whose life cycle core_service_* manages. */
export interface ManagedService {
  readonly name: string;
  /** @param request whose tools it counts, and with which names they collide, if that depends on the caller; nothing else does */
  status(request?: InboundRequest): ServiceRecord;
  /** The instructions that an MCP server declares for agents, unchanged: any length, any characters. */
  instructions?(): string | undefined;
  /** Whose state the request uses, in words; undefined if all share it. */
  instanceFor?(request: InboundRequest): string | undefined;
  /** Resolves once the first attempt has ended, whether it succeeded or not. Absent: not supported. */
  start?(as?: Caller): Promise<void>;
  stop?(as?: Caller): Promise<void>;
  restart?(as?: Caller): Promise<void>;
  /** What a stop costs and how to undo it; if set, a stop without `confirm: true` is refused. */
  readonly stopWarning?: string;
}

export interface ServiceSource {
  /** In a stable order. */
  services(): readonly ManagedService[];
}
export const ServiceSource = many<ServiceSource>('service-source');

/** Facts that a plugin adds to the metadata of the service mcp-aggregator. */
export interface AggregatorFacts {
  facts(): JsonObject;
}
export const AggregatorFacts = many<AggregatorFacts>('aggregator-facts');
