import type { ServiceSource } from 'pegboard';

const MAX_SERVER_CHARS = 600;

/** What initialize tells an agent that was never configured for Pegboard: how to find and call a tool, and what there is. */
export function instructions(sources: readonly ServiceSource[]): string {
  const names = sources
    .flatMap((source) => source.services().map((service) => service.status()))
    .filter(({ service_type }) => service_type === 'MCPServer')
    .map(({ name }) => name);
  const how =
    'One endpoint for many MCP servers. Their tools are not listed here: find one with filter_tools ' +
    '{"query":"what you want to do"}, read its arguments with describe_tool {"name":"..."}, ' +
    'run it with call_tool {"name":"...","arguments":{...}}.';
  return names.length === 0 ? how : `${how} Servers: ${bounded(names)}.`;
}

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
