import type { IncomingHttpHeaders } from 'node:http';
import { messageOf } from 'pegboard';
import type { Dispatcher } from 'undici';
import { KubeError } from './kubeError.ts';

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}
export interface ExchangeLimits {
  /** The time for the whole answer; of a stream, for its head. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Ends the exchange; its reason is what the exchange rejects with. */
  readonly signal?: AbortSignal | undefined;
  /** Takes the body of a 200, which has no time limit then. */
  readonly stream?: KubeStream;
}
export interface KubeStream {
  /** The API server has accepted. */
  readonly onOpen: () => void;
  /** What it throws ends the exchange. */
  readonly onChunk: (chunk: Buffer) => void;
}
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Empty where `stream` has taken it. */
  readonly text: string;
}

/** One request and its answer, whatever the status. undici's promises are not part of our bundle.
 *  @throws KubeError `timeout`, `unreachable` or `unreadable`, or the signal's reason */
export function exchange(
  dispatcher: Dispatcher,
  { method, path, headers, body = '' }: KubeRequest,
  { timeoutMs, maxBytes, signal, stream }: ExchangeLimits,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let head: Omit<RawAnswer, 'text'> = { status: 0, headers: {} };
    let bytes = 0;
    const chunks: Buffer[] = [];
    const over = (): void => {
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    };
    const fail = (error: Error): void => {
      if (isOver) return;
      over();
      // Also undici reports what it is aborted with; that comes too late to count.
      controller?.abort(error);
      reject(error);
    };
    const aborted = (): void => fail(signal?.reason as Error);
    const timer = setTimeout(() => {
      fail(new KubeError('timeout', `the API server did not answer within ${timeoutMs} ms`));
    }, timeoutMs);
    if (signal?.aborted === true) {
      aborted();
      return;
    }
    signal?.addEventListener('abort', aborted);

    const isTaken = (): boolean => stream !== undefined && head.status === 200;
    const take = (chunk: Buffer): void => {
      if (isTaken()) {
        stream?.onChunk(chunk);
        return;
      }
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new KubeError('unreadable', `the answer is longer than ${maxBytes} bytes`, head);
      chunks.push(chunk);
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started;
        if (isOver) started.abort(new Error('the request was ended'));
      },
      onResponseStart: (_, status, received) => {
        if (status < 200) return;
        head = { status, headers: received };
        if (isOver || !isTaken()) return;
        clearTimeout(timer);
        stream?.onOpen();
      },
      onResponseData: (_, chunk) => {
        if (isOver) return;
        try {
          take(chunk);
        } catch (error) {
          fail(error as Error);
        }
      },
      onResponseEnd: () => {
        if (isOver) return;
        over();
        resolve({ ...head, text: Buffer.concat(chunks).toString('utf8') });
      },
      onResponseError: (_, error) => fail(unreachable(error)),
    };
    dispatcher.dispatch({ method, path, headers, body, headersTimeout: 0, bodyTimeout: 0 }, handler);
  });
}

function unreachable(error: Error): KubeError {
  const words = messageOf(error) || (error as NodeJS.ErrnoException).code || error.name;
  return new KubeError('unreachable', `the API server cannot be reached: ${words}`, { cause: error });
}
