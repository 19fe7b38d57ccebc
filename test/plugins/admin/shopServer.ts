// An MCP server with 44 tools as a shop has them, one of which waits, and one of which fails. Run with node.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const NOUNS = ['order', 'product', 'customer', 'invoice', 'parcel', 'return', 'voucher'];
const VERBS: Readonly<Record<string, string>> = {
  list: 'Lists each NOUN, the newest first',
  get: 'Reads one NOUN with all that belongs to it',
  search: 'Finds each NOUN that contains the words of the query',
  create: 'Creates one NOUN',
  update: 'Changes fields of one NOUN; those that are not given stay as they are',
  delete: 'Deletes one NOUN for good',
};
const inputSchema = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'Number of the record, such as 2026-00417' },
    query: { type: 'string', description: 'Words that it contains' },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many at most' },
    status: { type: 'string', enum: ['open', 'paid', 'shipped', 'cancelled'] },
    isArchived: { type: 'boolean', default: false, description: 'Whether old ones are included' },
    tags: { type: 'array', items: { type: 'string' } },
  },
};
const tools = NOUNS.flatMap((noun) =>
  Object.entries(VERBS).map(([verb, text]) => ({
    name: `${noun}_${verb}`,
    description: text.replace('NOUN', noun),
    annotations: { readOnlyHint: ['list', 'get', 'search'].includes(verb) },
    inputSchema,
  })),
);
const shop = new McpServer({ name: 'shop', version: '3.2.0' }, { capabilities: { tools: {} } });
shop.server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [
    ...tools,
    {
      name: 'stock_export_of_all_warehouses_as_spreadsheet',
      description: 'Writes the stock of all warehouses into one spreadsheet, which takes minutes',
      inputSchema: { type: 'object' },
    },
    { name: 'payment_capture', description: 'Takes the money', inputSchema: { type: 'object' } },
  ],
}));
shop.server.setRequestHandler(CallToolRequestSchema, async ({ params: { name } }, { signal }) => {
  if (name === 'payment_capture')
    return {
      content: [{ type: 'text', text: 'the bank answered 503 Service Unavailable' }],
      isError: true,
    };
  if (name.startsWith('stock_export'))
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const found = { id: '2026-00417', status: 'open', total: 129.9 };
  return { content: [{ type: 'text', text: JSON.stringify(found) }], structuredContent: found };
});
console.error('shop 3.2.0: database connected');
await shop.connect(new StdioServerTransport());
