import type { ManagedService } from '../../contracts/services.ts';

export interface InstructionLimits {
  readonly maxInstructionChars: number;
  readonly maxServerInstructionChars: number;
}

const HOW =
  'One endpoint for many MCP servers, whose tools are not in tools/list. Two turns reach one: ' +
  'filter_tools {"query":"what you want to do"} finds it, with its inputSchema and the call when confident; ' +
  'call_tool {"name":"...","arguments":{...}} runs it. Use describe_tool {"name":"..."} only if the schema was not given.';

/** The `instructions` of initialize, for an agent that was never configured for Pegboard: how to find and call a tool, which
 *  servers exist, and the beginning of each server's own instructions. */
export function instructions(services: readonly ManagedService[], limits: InstructionLimits): string {
  const servers = services.filter((service) => service.status().service_type === 'MCPServer');
  if (servers.length === 0) return HOW;
  const head = `${HOW} Servers: ${bounded(servers.map(({ name }) => name))}.`;
  let text = head;
  for (const server of servers) {
    const line = lineOf(server, limits.maxServerInstructionChars);
    if (line === '' || text.length - head.length + line.length > limits.maxInstructionChars) continue;
    text += line;
  }
  return text;
}

const MAX_SERVER_CHARS = 600;
function bounded(names: readonly string[]): string {
  const shown: string[] = [];
  let chars = 0;
  for (const name of names) {
    chars += name.length + 2;
    if (chars > MAX_SERVER_CHARS) return `${shown.join(', ')} and ${names.length - shown.length} more`;
    shown.push(name);
  }
  return shown.join(', ');
}

/** The text on one line, so that no server can imitate another server or Pegboard. */
function lineOf(server: ManagedService, maxChars: number): string {
  const { name } = server;
  const text = (server.instructions?.() ?? '').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  if (text === '' || maxChars === 0) return '';
  const chars = Array.from(text.slice(0, 2 * maxChars + 2));
  if (chars.length <= maxChars) return `\n${name} says: ${text}`;
  const cut = chars.slice(0, maxChars).join('');
  return `\n${name} says: ${cut.replace(/\s\S{0,40}$/u, '')} …`;
}
