import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from './listen.ts';
import type { Listening } from './listen.ts';

type Json = Record<string, unknown>;
const OWN = 'x_conf_';

/** Stands before a gateway and renames: what the suite calls directly goes through call_tool and filter_tools, and the
 *  server's names lose their prefix. All else, streams and headers included, passes as it is. Nothing is repaired. */
export function startAdapter(gateway: string): Promise<Listening> {
  return listenLocally(createServer((req, res) => void relay(new URL(gateway), req, res)));
}

async function relay(gateway: URL, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = await text(req);
  const message = req.method === 'POST' ? (JSON.parse(body) as Json) : {};
  const renamed = rename(message);
  const sent = renamed === undefined ? body : JSON.stringify({ ...message, ...renamed });
  const headers = { ...req.headers, ...(renamed && { 'content-length': Buffer.byteLength(sent) }) };
  const onward = { method: req.method, path: req.url, headers, setHost: false, agent: false };
  const forward = httpRequest(gateway, onward, (answer) => {
    const isList = message['method'] === 'tools/list' || message['method'] === 'prompts/list';
    if (isList) delete answer.headers['content-length'];
    res.writeHead(answer.statusCode ?? 500, answer.headers);
    if (!isList) answer.pipe(res);
    else void text(answer).then((json) => res.end(listed(json)));
  });
  res.once('close', () => forward.destroy());
  forward.once('error', () => res.destroy());
  forward.end(sent);
}

function rename({ method, params = {} }: Json): Json | undefined {
  const { name, arguments: args, ref, ...rest } = params as Json;
  const call = (tool: string, given: Json): Json => ({
    method: 'tools/call',
    params: { name: tool, arguments: given, ...rest },
  });
  if (method === 'tools/call') return call('call_tool', { name: `${OWN}${String(name)}`, arguments: args });
  if (method === 'tools/list')
    return call('filter_tools', { include_schema: true, limit: 10_000, pattern: `${OWN}*` });
  if (method === 'prompts/get') return { params: { ...(params as Json), name: `${OWN}${String(name)}` } };
  const prompt = (ref as { name?: string } | undefined)?.name;
  if (prompt === undefined) return undefined;
  return { params: { ...(params as Json), ref: { ...(ref as Json), name: `${OWN}${prompt}` } } };
}

function listed(json: string): string {
  const answer = JSON.parse(json) as { result?: { content?: { text: string }[] } };
  const found = answer.result?.content?.[0]?.text;
  const renamed = found === undefined ? answer : { ...answer, result: toolsOf(JSON.parse(found) as Json) };
  return JSON.stringify(renamed).replaceAll(`"name":"${OWN}`, '"name":"');
}

const toolsOf = ({ tools }: Json): Json => ({ tools });
