// An MCP server that counts the runs of its tools.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestSchema, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { hostOverHttp } from '../../conformance/fixtureHost.ts';
import type { FixtureHost } from '../../conformance/fixtureHost.ts';
import { until } from '../../support/until.ts';

const TOOLS = ['book', 'slow', 'decline', 'fail', 'large'];

export interface Ledger extends FixtureHost {
  /** Runs of all its tools. */
  readonly runs: number;
  /** Waits until `count` calls of `slow` are under way. */
  underWay(count: number): Promise<unknown>;
  /** Ends them. */
  release(): void;
}

/** `book` answers with its number, `slow` once it is released, `decline` with an error result, `fail` with an error, `large`
 *  with `bytes` bytes. */
export async function hostLedger(): Promise<Ledger> {
  let runs = 0;
  const slow: (() => void)[] = [];
  const release = (): void => slow.splice(0).forEach((end) => end());
  const host = await hostOverHttp(() => {
    const ledger = new McpServer({ name: 'ledger', version: '1' }, { capabilities: { tools: {} } });
    ledger.server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: TOOLS.map((name) => ({ name, inputSchema: { type: 'object' } })),
    }));
    ledger.server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
      const number = ++runs;
      if (params.name === 'slow') await new Promise<void>((end) => slow.push(end));
      if (params.name === 'fail') throw new McpError(-32011, `booking ${number} failed`);
      const text =
        params.name === 'large' ? 'x'.repeat(Number(params.arguments?.['bytes'])) : `run ${number}`;
      return { content: [{ type: 'text', text }], isError: params.name === 'decline' };
    });
    return ledger;
  });
  return {
    ...host,
    get runs() {
      return runs;
    },
    underWay: (count) => until(() => slow.length === count, { what: `${count} calls of slow` }),
    release,
  };
}
