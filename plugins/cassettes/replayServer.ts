import { isObject } from 'pegboard';
import { jsonIn } from '../kit/text/jsonIn.ts';
import { Playback } from './playback.ts';
import type { Recording } from './recording.ts';

const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
const CODES = { parse: -32700, request: -32600, method: -32601, params: -32602 } as const;

/** Returns the answer to a message or a batch as JSON text; undefined if no answer is due. */
export type Respond = (text: string) => string | undefined;

/** An MCP server that replaces the recorded one. */
export function replayServer(recording: Recording): Respond {
  const playback = new Playback(recording);
  const respondTo = (message: unknown): string | undefined => {
    if (!isObject(message)) return failure(null, 'request', 'this is not a JSON-RPC message');
    const { id, method, params } = message;
    // Notifications, and answers, which are unexpected because this server sends no requests.
    if (id === undefined || method === undefined) return undefined;
    if (!isId(id) || typeof method !== 'string')
      return failure(null, 'request', 'id must be a string or a number, method a string');
    const given = isObject(params) ? params : {};
    switch (method) {
      case 'initialize':
        return success(id, JSON.stringify(greeting(recording.server, given['protocolVersion'])));
      case 'ping':
        return success(id, '{}');
      case 'tools/list':
        return success(id, `{"tools":${recording.tools}}`);
      case 'tools/call': {
        const { name, arguments: args = {} } = given;
        if (typeof name !== 'string') return failure(id, 'params', 'name must be the name of a tool');
        const { kind, json } = playback.answer(name, args);
        return answer(id, kind, json);
      }
      default:
        return failure(id, 'method', `${method} is not replayed; a cassette holds tools and calls`);
    }
  };
  return (text) => {
    const message = jsonIn(text);
    if (message === undefined) return failure(null, 'parse', 'this is not JSON');
    if (!Array.isArray(message)) return respondTo(message);
    // Revision 2025-03-26 has batches.
    const answers = message.map(respondTo).filter((one) => one !== undefined);
    return answers.length === 0 ? undefined : `[${answers.join(',')}]`;
  };
}

type Id = string | number | null;

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function greeting(server: string, wanted: unknown): object {
  const protocolVersion = REVISIONS.find((revision) => revision === wanted) ?? REVISIONS[0];
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: server, version: 'recorded' } };
}

function success(id: Id, json: string): string {
  return answer(id, 'result', json);
}
function failure(id: Id, kind: keyof typeof CODES, message: string): string {
  return answer(id, 'error', JSON.stringify({ code: CODES[kind], message }));
}
function answer(id: Id, kind: 'result' | 'error', json: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"${kind}":${json}}`;
}
