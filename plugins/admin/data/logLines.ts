import { ConfigControl } from 'pegboard';
import { hiderOf } from 'pegboard/kit';
import type { InboundRequest, Scope } from 'pegboard';
import { secretsOfServers } from '../../kit/secrets/secretsIn.ts';
import type { GatewayLog } from './gatewayLog.ts';
import { serversIn } from './servers.ts';
import { standardErrorOf } from './standardError.ts';

/** The name of the gateway among the sources; no server has it, because of the space. */
export const GATEWAY = 'the gateway';

export interface LogLine {
  /** RFC 3339 */
  readonly time: string;
  /** GATEWAY, or the name of a server. */
  readonly source: string;
  readonly text: string;
}
export interface LogQuery {
  /** Empty: all of them. */
  readonly source: string;
  /** A part of the line, in any case; empty: any. */
  readonly text: string;
}

/** Names of what writes lines: the gateway, and servers that are processes. */
export function sourcesIn(scope: Scope<unknown>, request: InboundRequest): readonly string[] {
  const servers = serversIn(scope).filter((one) => standardErrorOf(one, request) !== undefined);
  return [GATEWAY, ...servers.map(({ name }) => name)];
}

/** The lines that fit, in order of time. Those of servers are without secrets already. */
export function logLines(
  scope: Scope<unknown>,
  log: GatewayLog,
  { source, text }: LogQuery,
  request: InboundRequest,
): readonly LogLine[] {
  const own = source === '' || source === GATEWAY ? gatewayLines(scope, log) : [];
  const servers = serversIn(scope).filter(({ name }) => source === '' || source === name);
  const ofServers = servers.flatMap((service) =>
    (standardErrorOf(service, request)?.lines ?? []).map((line) => ({
      time: line.time,
      source: service.name,
      text: 'started' in line ? '(a process was started)' : line.text,
    })),
  );
  const wanted = text.toLowerCase();
  return [...own, ...ofServers]
    .filter((line) => line.text.toLowerCase().includes(wanted))
    .sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0));
}

/** The gateway's own lines, without the secrets of all servers. */
function gatewayLines(scope: Scope<unknown>, { lines }: GatewayLog): readonly LogLine[] {
  const hide = hiderOf(secretsOfServers(scope.get(ConfigControl)));
  return lines.map((line) => {
    const end = line.indexOf(' ');
    return { time: line.slice(0, end), source: GATEWAY, text: hide(line.slice(end + 1)) };
  });
}
