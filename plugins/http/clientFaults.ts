import { STATUS_CODES } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError } from 'pegboard';
import type { ErrorCode } from 'pegboard';
import { statusOf } from '../kit/http/statusOf.ts';
import { closeGently } from '../kit/http/closeGently.ts';
import { plainRefusal, writeReply } from './replies.ts';

interface ClientFault {
  /** Default: the status of its code. */
  readonly status?: number;
  readonly code: ErrorCode;
  readonly message: string;
}
const NOT_HTTP: ClientFault = {
  code: 'REQUEST_MALFORMED',
  message: 'this is not HTTP/1.1',
};
const CLIENT_FAULTS: Readonly<Record<string, ClientFault>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'REQUEST_TOO_LARGE',
    message: 'the request head is too large; see plugins.http.config.maxHeaderBytes',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'REQUEST_TIMEOUT',
    message:
      'the request did not arrive in time; see headersTimeoutMs and requestTimeoutMs of plugins.http.config',
  },
};

/** Answers faults that node finds before there is a request, as JSON like all others. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { code, message, status = statusOf(code) } = CLIENT_FAULTS[error.code ?? ''] ?? NOT_HTTP;
  const body = JSON.stringify({ error: { code, message } });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`;
  socket.write(`${head}\r\n\r\n${body}`);
  closeGently(socket);
}

export function answerExpectation(res: ServerResponse): void {
  const error = new GatewayError('REQUEST_MALFORMED', 'only Expect: 100-continue is supported');
  writeReply(res, { status: 417, headers: { connection: 'close' }, body: plainRefusal(error) });
}
