import type { KernelEvent } from 'pegboard';
import type { ServerNotice } from '../../contracts/servers.ts';

/** Reasons of events, each with the text of its message. Source: requirement core.events.catalogue. */
const TEXTS = {
  MCPServerStarting: 'service is starting up',
  MCPServerStarted: 'service started successfully',
  MCPServerStopped: 'service stopped successfully',
  MCPServerRestarting: 'service is restarting',
  MCPServerFailed: 'operation failed',
  MCPServerToolsDiscovered: 'tools discovered and registered successfully',
  MCPServerToolsUnavailable: 'tools became unavailable',
  MCPServerListPartial: 'was not listed completely',
  MCPServerHealthCheckFailed: 'health check failed',
  MCPServerRecoveryStarted: 'automatic recovery process started',
  MCPServerRecoverySucceeded: 'automatic recovery completed successfully',
  MCPServerRecoveryFailed: 'automatic recovery failed',
  MCPServerAuthRequired: 'requires OAuth authentication to connect',
} as const;
export type ServerReason = keyof typeof TEXTS;

const WARNINGS: readonly ServerReason[] = [
  'MCPServerFailed',
  'MCPServerToolsUnavailable',
  'MCPServerListPartial',
  'MCPServerHealthCheckFailed',
  'MCPServerRecoveryFailed',
];

type TypeOf<Reason> = Reason extends `MCPServer${infer Rest}` ? `server.${Uncapitalize<Rest>}` : never;

/** `MCPServerToolsDiscovered` becomes `server.toolsDiscovered`. */
function typeOf(reason: ServerReason): TypeOf<ServerReason> {
  const rest = reason.slice('MCPServer'.length);
  return `server.${rest.charAt(0).toLowerCase()}${rest.slice(1)}` as TypeOf<ServerReason>;
}

export type TellServer = (
  reason: ServerReason,
  error?: string,
  facts?: Pick<ServerNotice, 'tools' | 'refusedTools' | 'ms' | 'attempt'>,
) => void;

/** Emits the events of one server, with messages for people. @returns a function whose `error` must not hold secrets */
export function serverEvents(server: string, emit: (event: KernelEvent) => void): TellServer {
  return (reason, error, facts = {}) => {
    const message = `MCPServer ${server} ${TEXTS[reason]}`;
    emit({
      type: typeOf(reason),
      reason,
      server,
      message: error === undefined ? message : `${message}: ${error}`,
      severity: WARNINGS.includes(reason) ? 'Warning' : 'Normal',
      ...facts,
    });
  };
}
