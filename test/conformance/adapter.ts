import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from './listen.ts';

type Json = { method?: string; params?: Json; name?: string; arguments?: unknown; ref?: Json };
const OWN = 'x_conf_';

/** A proxy in front of a gateway that only renames: direct calls of the suite become call_tool and filter_tools, and the
 *  server's names lose their prefix. All else, streams and headers included, passes unchanged. */
export function startAdapter(gateway: string): ReturnType<typeof listenLocally> {
  return listenLocally(createServer((req, res) => void relay(gateway, req, res)));
}

async function relay(gateway: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = await text(req);
  const message = JSON.parse(body || '{}') as Json;
  const renamed = rename(message);
  const sent = renamed === message ? body : JSON.stringify(renamed);
  const isRepeated = Object.entries(headersOf(message)).every(([name, text]) => req.headers[name] === text);
  const length = sent === body ? {} : { 'content-length': Buffer.byteLength(sent) };
  const headers = { ...req.headers, ...length, ...(isRepeated && headersOf(renamed)) };
  const onward = { method: req.method, path: req.url, headers, setHost: false, agent: false };
  const forward = httpRequest(gateway, onward, (answer) => {
    const isList = message.method === 'tools/list' || message.method === 'prompts/list';
    if (isList) delete answer.headers['content-length'];
    res.writeHead(answer.statusCode ?? 500, answer.headers);
    if (!isList) answer.pipe(res);
    else void text(answer).then((json) => res.end(listed(json)));
  });
  res.once('close', () => forward.destroy());
  forward.once('error', () => res.destroy());
  forward.end(sent);
}

function rename(message: Json): Json {
  const { method, params = {} } = message;
  const { name = '', arguments: args, ref, ...rest } = params;
  const call = (given: Json): Json => ({ ...message, method: 'tools/call', params: { ...given, ...rest } });
  const found = { include_schema: true, limit: 10_000, pattern: `${OWN}*` };
  if (method === 'tools/list') return call({ name: 'filter_tools', arguments: found });
  const own = { ...params, name: `${OWN}${name}` };
  if (method === 'prompts/get') return { ...message, params: own };
  if (method === 'tools/call')
    return call({ name: 'call_tool', arguments: { name: own.name, arguments: args } });
  if (ref?.name === undefined) return message;
  return { ...message, params: { ...params, ref: { ...ref, name: `${OWN}${ref.name}` } } };
}

const headersOf = ({ method, params }: Json): Readonly<Record<string, string>> =>
  JSON.parse(JSON.stringify({ 'mcp-method': method, 'mcp-name': params?.name })) as Record<string, string>;

function listed(json: string): string {
  const answer = JSON.parse(json) as { result?: { content?: { text: string }[]; tools?: unknown } };
  const found = answer.result?.content?.[0]?.text;
  if (found !== undefined) answer.result = { tools: (JSON.parse(found) as { tools: unknown }).tools };
  return JSON.stringify(answer).replaceAll(`"name":"${OWN}`, '"name":"');
}
