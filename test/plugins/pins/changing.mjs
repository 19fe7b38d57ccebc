// A stdio MCP server that declares what a JSON file says, and tells its clients when the file changes: node changing.mjs FILE [page size]
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setInterval } from 'node:timers';

const [, , file, page = '1000'] = process.argv;
const read = () => readFileSync(file, 'utf8');
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const LISTS = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};
let said = read();
setInterval(() => {
  const now = read();
  if (now === said) return;
  said = now;
  for (const list of ['tools', 'prompts', 'resources'])
    send({ method: `notifications/${list}/list_changed` });
}, 20);

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const all = JSON.parse(read());
    const capabilities = {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true },
    };
    if (method === 'initialize') {
      const serverInfo = { name: 'changing', version: '1', ...all.serverInfo };
      const { instructions } = all;
      return send({
        id,
        result: { protocolVersion: params.protocolVersion, capabilities, serverInfo, instructions },
      });
    }
    const list = LISTS[method];
    if (list !== undefined) {
      const from = Number(params?.cursor ?? 0);
      const to = from + Number(page);
      const items = all[list] ?? [];
      return send({
        id,
        result: { [list]: items.slice(from, to), ...(to < items.length && { nextCursor: String(to) }) },
      });
    }
    if (method === 'prompts/get')
      return send({ id, result: { messages: [{ role: 'user', content: { type: 'text', text: file } }] } });
    if (method === 'resources/read')
      return send({ id, result: { contents: [{ uri: params.uri, text: file }] } });
    if (method !== 'tools/call') return send({ id, error: { code: -32601, message: `no ${method}` } });
    send({ id, result: { content: [{ type: 'text', text: JSON.stringify(params.arguments) }] } });
  })
  .on('close', () => process.exit());
