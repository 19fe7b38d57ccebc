/** The MCP server of both upstreams: two tools, with as little work per call as possible. */
export const ECHO_PREFIX = 'echo: ';

const BIG_RESULT_BYTES = 10 * 1024;
const NAME_AND_VERSION = '{"name":"bench-upstream","version":"1.0.0"}';
const TOOLS = JSON.stringify([
  {
    name: 'echo',
    description: 'Answers the text it was given.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
  { name: 'big', description: 'Answers 10 KiB of text.', inputSchema: { type: 'object', properties: {} } },
]);
const BIG_RESULT = bigResult();

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly name?: string;
    readonly arguments?: { readonly text?: string };
  };
}

/** @returns the answer as JSON text, or undefined for a message without one */
export function answerTo(text: string): string | undefined {
  const { id, method, params } = JSON.parse(text) as Message;
  if (id === undefined || method === undefined) return undefined;
  const head = `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)},`;
  if (method === 'tools/call') return `${head}"result":${callResult(params)}}`;
  if (method === 'initialize') {
    const version = JSON.stringify(params?.protocolVersion ?? '2025-06-18');
    return `${head}"result":{"protocolVersion":${version},"capabilities":{"tools":{}},"serverInfo":${NAME_AND_VERSION}}}`;
  }
  if (method === 'tools/list') return `${head}"result":{"tools":${TOOLS}}}`;
  if (method === 'ping') return `${head}"result":{}}`;
  return `${head}"error":{"code":-32601,"message":"no such method"}}`;
}

function callResult(params: Message['params']): string {
  if (params?.name === 'big') return BIG_RESULT;
  return `{"content":[{"type":"text","text":${JSON.stringify(ECHO_PREFIX + (params?.arguments?.text ?? ''))}}]}`;
}

/** Lines of text, so that the JSON has some escapes, as real results do. */
function bigResult(): string {
  let text = '';
  for (let row = 1; text.length < BIG_RESULT_BYTES; row += 1)
    text += `row ${row}: the quick brown fox jumps over the lazy dog\n`;
  const envelope = (body: string): string => JSON.stringify({ content: [{ type: 'text', text: body }] });
  const excess = Buffer.byteLength(envelope(text)) - BIG_RESULT_BYTES;
  return envelope(text.slice(0, -excess));
}
