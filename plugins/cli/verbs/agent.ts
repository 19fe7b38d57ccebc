import type { Command } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Failure } from '../failure.ts';
import { verb } from '../verb.ts';

interface Own {
  readonly mcpServer?: boolean;
  readonly repl?: boolean;
}

/** `pegboard agent`: a gateway for a client that only knows stdio, or for a person at a terminal. */
export const agent: Command = verb({
  name: 'agent',
  summary: 'bridge a stdio client to the gateway; on a terminal, watch the catalogue',
  options: [
    { flags: '--mcp-server', description: 'speak MCP on standard input and output, also on a terminal' },
    { flags: '--repl', description: 'read commands, with history and completion' },
  ],
  examples: [
    'pegboard agent --mcp-server --endpoint https://tools.example.com/mcp',
    'pegboard agent --repl --context work',
  ],
  run: async (invocation) => {
    const { mcpServer = false, repl: isRepl = false } = optionsOf<Own>(invocation);
    if (mcpServer && isRepl) throw new Failure('choose one of --mcp-server and --repl');
    if (isRepl) return (await import('../agent/repl.ts')).repl(invocation);
    if (mcpServer || invocation.terminal.input.isTTY !== true)
      return (await import('../bridge/runBridge.ts')).runBridge(invocation);
    return (await import('../agent/watchCatalogue.ts')).watchCatalogue(invocation);
  },
});
