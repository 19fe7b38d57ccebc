import type { ServerResponse } from 'node:http';

/** Answers a message that is not passed on. */
export function refuse(res: ServerResponse, status: number, message: string): void {
  const error = { code: -32_000, message };
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
}
