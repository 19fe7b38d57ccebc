import type { Command } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Failure } from '../failure.ts';
import { authSettings } from '../signIn/authSettings.ts';
import { verb } from '../verb.ts';

interface Own {
  readonly mcpServer?: boolean;
  readonly repl?: boolean;
  readonly silent?: boolean;
}

/** `pegboard agent`: a gateway for a client that only knows stdio, or for a person at a terminal. */
export const agent: Command = verb({
  name: 'agent',
  summary: 'bridge a stdio client to the gateway; on a terminal, watch the catalogue',
  options: [
    { flags: '--mcp-server', description: 'speak MCP on standard input and output, also on a terminal' },
    { flags: '--repl', description: 'read commands, with history and completion' },
    { flags: '--silent', description: 'if a sign-in is needed, try first without a question, then ask' },
  ],
  examples: [
    'pegboard agent --mcp-server --endpoint https://tools.example.com/mcp',
    'pegboard agent --repl --context work',
  ],
  run: async (invocation) => {
    const { mcpServer = false, repl: isRepl = false, silent } = optionsOf<Own>(invocation);
    if (mcpServer && isRepl) throw new Failure('choose one of --mcp-server and --repl');
    const isBridge = !isRepl && (mcpServer || invocation.terminal.input.isTTY !== true);
    if (isBridge) return (await import('../bridge/runBridge.ts')).runBridge(invocation);
    if (silent ?? (await authSettings(invocation)).silent)
      await (await import('../signIn/logIn.ts')).logIn(invocation);
    if (isRepl) return (await import('../agent/repl.ts')).repl(invocation);
    return (await import('../agent/watchCatalogue.ts')).watchCatalogue(invocation);
  },
});
