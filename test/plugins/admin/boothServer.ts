// An MCP server with tools for the pages: each kind of argument, and each kind of answer. Run with node.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const READS = { readOnlyHint: true };
const booth = new McpServer({ name: 'booth', version: '1' }, { capabilities: { tools: {} } });
booth.server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [
    {
      name: 'ship',
      description: 'Ships a parcel to a customer',
      annotations: READS,
      inputSchema: {
        type: 'object',
        required: ['to', 'items'],
        additionalProperties: false,
        properties: {
          note: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'Printed on it' },
          to: { type: 'string', description: 'Name of the customer' },
          items: { type: 'integer', minimum: 1 },
          weight: { type: 'number', default: 1.5 },
          isGift: { type: 'boolean', default: false },
          speed: { type: 'string', enum: ['slow', 'fast'], default: 'slow' },
          tags: { type: 'array', items: { type: 'string' } },
          apiKey: { type: 'string' },
        },
      },
    },
    { name: 'burn', description: 'Deletes a parcel', inputSchema: { type: 'object' } },
    { name: 'break', annotations: READS, inputSchema: { type: 'object' } },
    { name: 'wait', annotations: READS, inputSchema: { type: 'object' } },
    {
      name: '<script>alert(1)</script>',
      description: '<img src=x onerror=alert(1)>',
      inputSchema: {
        type: 'object',
        properties: { '"><script>': { type: 'string', description: '</textarea><script>' } },
      },
    },
  ],
}));
booth.server.setRequestHandler(
  CallToolRequestSchema,
  async ({ params: { name, arguments: args = {} } }, { signal }) => {
    if (name === 'break') return { content: [{ type: 'text', text: 'the belt is stuck' }], isError: true };
    if (name === 'wait')
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    const secret = process.env['BOOTH_TOKEN'] ?? '';
    const long = 'x'.repeat(Number(args['items'] ?? 0) > 99 ? 100_000 : 0);
    return {
      content: [
        { type: 'text', text: `<b>${JSON.stringify(args)}</b> with ${secret}${long}` },
        { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
      ],
      structuredContent: { sent: args },
    };
  },
);
console.error(`<b>listening</b> with ${process.env['BOOTH_TOKEN'] ?? ''}`);
await booth.connect(new StdioServerTransport());
