import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { MCP_HEADERS, callBody, initialize } from '../support/edge.ts';
import { edgeDirectory } from '../support/edgeProcess.ts';
import { rssMegabytes } from '../support/proc.ts';
import { servePegboard } from '../support/serve.ts';

const REQUESTS_PER_SOCKET = 145;
const ANSWER_BYTES = 100_000;
const SECONDS = 20;

export interface Unread {
  readonly before: number;
  /** MB */
  readonly peak: number;
  /** Longest wait of another client for an answer in ms, after all had sent. */
  readonly slowest: number;
}

/** Clients that send many requests at once and read nothing. */
export async function sendUnread(sockets: number): Promise<Unread> {
  const directory = await edgeDirectory();
  const pegboard = await servePegboard(directory.path);
  const { url, pid } = pegboard;
  const handle = await initialize(url);
  const before = rssMegabytes(pid);
  const { hostname, port } = new URL(url);
  const body = JSON.stringify(callBody('large', { bytes: ANSWER_BYTES }));
  const headers = {
    ...MCP_HEADERS,
    host: 'localhost',
    'mcp-session-id': handle,
    'content-length': body.length,
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${body}`;
  const deaf = Array.from({ length: sockets }, () => {
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => undefined).write(request.repeat(REQUESTS_PER_SOCKET));
    return socket;
  });
  let [peak, slowest] = [before, 0];
  for (let second = 0; second < SECONDS; second += 1) {
    await pause(1_000);
    const asked = performance.now();
    await (await fetch(`${url}/health`)).text();
    slowest = Math.max(slowest, performance.now() - asked);
    peak = Math.max(peak, rssMegabytes(pid));
  }
  for (const socket of deaf) socket.destroy();
  await pegboard.stop();
  return { before, peak, slowest: Math.round(slowest) };
}
