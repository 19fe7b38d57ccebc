// A server of revision 2025-11-25 whose tools ask the client; over stdio when run with `stdio`.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ASKED, ASKER_INPUT } from './asked.ts';

/** Its tools `plain`, `form`, `url` and `sample` answer `<name>: <answer of the client>`. */
export function olderAsker(): McpServer {
  const asker = new McpServer({ name: 'older-asker', version: '1' }, { capabilities: { tools: {} } });
  const { server } = asker;
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: ['plain', ...Object.keys(ASKED)].map((name) => ({ name, inputSchema: ASKER_INPUT })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId }) => {
    const name = String(params.arguments?.['name']);
    // Over HTTP the question is sent on the stream of its call.
    return told(name, await ask(params.name, name, requestId));
  });
  const ask = async (tool: string, name: string, relatedRequestId: string | number): Promise<unknown> => {
    const options = { relatedRequestId };
    switch (tool) {
      case 'form':
        return (await server.elicitInput(ASKED.form(name), options)).content?.['who'];
      case 'url': {
        const byUrl = { mode: 'url' as const, elicitationId: name, ...ASKED.url(name) };
        return (await server.elicitInput(byUrl, options)).action;
      }
      case 'sample': {
        const { content } = await server.createMessage(ASKED.sample(name), options);
        return content.type === 'text' ? content.text : content.type;
      }
      default:
        return 'not asked';
    }
  };
  return asker;
}

function told(name: string, answer: unknown): CallToolResult {
  return { content: [{ type: 'text', text: `${name}: ${String(answer)}` }] };
}

if (process.argv[2] === 'stdio') await olderAsker().connect(new StdioServerTransport());
