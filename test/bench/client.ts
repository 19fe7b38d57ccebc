/** A minimal MCP client: one request, one JSON answer. */
import { Agent, request } from 'node:http';

export const PROTOCOL_VERSION = '2025-06-18';
const REQUEST_TIMEOUT_MS = 10_000;

export interface Answer {
  readonly status: number;
  readonly session: string | undefined;
  readonly text: string;
  /** Bytes of the answer on the wire, head included. */
  readonly wireBytes: number;
}
export interface Client {
  readonly url: string;
  session: string | undefined;
  token: string | undefined;
  post(message: unknown): Promise<Answer>;
  close(): void;
}

export function headersFor({
  session,
  token,
}: Pick<Client, 'session' | 'token'>): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': PROTOCOL_VERSION,
    ...(session === undefined ? {} : { 'Mcp-Session-Id': session }),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
}

export function createClient(url: string, maxSockets = 1): Client {
  const agent = new Agent({ keepAlive: true, maxSockets });
  const client: Client = {
    url,
    session: undefined,
    token: undefined,
    post: (message) => post(agent, client, message),
    close: () => agent.destroy(),
  };
  return client;
}

function post(agent: Agent, { url, session, token }: Client, message: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify(message);
    const headers = { ...headersFor({ session, token }), 'Content-Length': Buffer.byteLength(body) };
    const options = { method: 'POST', agent, headers, timeout: REQUEST_TIMEOUT_MS };
    const outgoing = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const { statusCode = 0, statusMessage = '', rawHeaders } = response;
        const headBytes = rawHeaders.reduce(
          (sum, part) => sum + part.length + 2,
          `HTTP/1.1 200 ${statusMessage}`.length + 4,
        );
        const session = response.headers['mcp-session-id'];
        resolve({
          status: statusCode,
          session: typeof session === 'string' ? session : undefined,
          text: bytes.toString(),
          wireBytes: headBytes + bytes.length,
        });
      });
    });
    outgoing.on('timeout', () =>
      outgoing.destroy(new Error(`${url} did not answer within ${REQUEST_TIMEOUT_MS} ms`)),
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export function initializeMessage(id: number): unknown {
  const clientInfo = { name: 'pegboard-bench', version: '1.0.0' };
  const params = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo };
  return { jsonrpc: '2.0', id, method: 'initialize', params };
}

/** Opens a session. @throws Error when the answer has no session id */
export async function initialize(client: Client): Promise<void> {
  const answer = await client.post(initializeMessage(1));
  if (answer.status !== 200 || answer.session === undefined) {
    throw new Error(`initialize returned ${answer.status} without a session: ${answer.text.slice(0, 300)}`);
  }
  client.session = answer.session;
  const { status } = await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  if (status !== 202) throw new Error(`notifications/initialized returned ${status}`);
}
