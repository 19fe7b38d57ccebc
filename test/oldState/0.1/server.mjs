import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const tools = () => [
  {
    name: 'read',
    description: readFileSync('description.txt', 'utf8'),
    inputSchema: { type: 'object', properties: { lines: { type: 'integer' } } },
    annotations: { readOnlyHint: true },
  },
];
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } }),
  'tools/list': () => ({ tools: tools() }),
  'tools/call': ({ arguments: { lines = 1 } = {} }) => ({ content: [{ type: 'text', text: 'a line of a note\n'.repeat(lines) }] }),
};
createInterface(process.stdin).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params ?? {});
  const answer = result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\n');
});
