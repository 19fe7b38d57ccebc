import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from './listen.ts';

type Json = { method?: string; params?: Json; name?: string; arguments?: unknown; ref?: Json };
const OWN = 'x_conf_';

/** A proxy in front of a gateway that only renames: direct calls of the suite become call_tool and filter_tools, and the
 *  server's names lose their prefix. What a list says beside its tools is from the gateway's own list. All else passes unchanged. */
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
  const isTools = message.method === 'tools/list';
  const own = isTools ? ask(gateway + (req.url ?? ''), body, req) : undefined;
  const forward = httpRequest(gateway, onward, (answer) => {
    const isList = isTools || message.method === 'prompts/list';
    if (isList) delete answer.headers['content-length'];
    res.writeHead(answer.statusCode ?? 500, answer.headers);
    if (!isList) answer.pipe(res);
    else void Promise.all([text(answer), own]).then((both) => res.end(listed(...both)));
  });
  res.once('close', () => forward.destroy());
  forward.once('error', () => res.destroy());
  forward.end(sent);
}

async function ask(url: string, body: string, { headers }: IncomingMessage): Promise<string> {
  const sent = Object.entries(headers).filter(([name]) => /^(mcp-|accept$|content-type$)/.test(name));
  return (await fetch(url, { method: 'POST', body, headers: sent as [string, string][] })).text();
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

function listed(json: string, own = '{}'): string {
  const answer = JSON.parse(json) as { result?: { content?: { text: string }[]; tools?: unknown } };
  const found = answer.result?.content?.[0]?.text;
  const { result } = JSON.parse(own) as { result?: object };
  if (found !== undefined)
    answer.result = { ...result, tools: (JSON.parse(found) as { tools: unknown }).tools };
  return JSON.stringify(answer).replaceAll(`"name":"${OWN}`, '"name":"');
}
