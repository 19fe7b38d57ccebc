import { request } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { defer } from './cleanup.ts';
import type { RpcMessage } from './mcpClient.ts';
import { eventsIn } from './mcpClient.ts';
import { until, within } from './until.ts';

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The one message of a JSON body. */
  readonly json: () => RpcMessage;
  /** The messages of an event stream that has ended. */
  readonly events: () => readonly RpcMessage[];
  /** The last message of either: slow answers come as a stream. */
  readonly answer: () => RpcMessage | undefined;
}

/** One request on a connection of its own, so that a pool hides nothing. */
export async function send(url: string, options: RawRequest = {}): Promise<RawAnswer> {
  const { res, text } = await within(answerTo(url, options), { what: `answer of ${url}`, withinMs: 10_000 });
  const json = (): RpcMessage => JSON.parse(text) as RpcMessage;
  const events = (): readonly RpcMessage[] => eventsIn(text).map((data) => JSON.parse(data) as RpcMessage);
  const isStream = res.headers['content-type']?.startsWith('text/event-stream') === true;
  const answer = (): RpcMessage | undefined => (isStream ? events().at(-1) : json());
  return { status: res.statusCode ?? 0, headers: res.headers, text, json, events, answer };
}

function answerTo(url: string, options: RawRequest): Promise<{ res: IncomingMessage; text: string }> {
  return new Promise((resolve, reject) => {
    const req = open(url, options, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      res.once('end', () => resolve({ res, text }));
      res.once('error', reject);
    });
    // A server that refuses early may close before the body is written; the answer counts then.
    req.on('error', (error) => setImmediate(() => reject(error)));
    req.end(options.body);
  });
}

/** Starts a request and leaves its body to the caller. */
export function open(url: string, options: RawRequest, onAnswer: (res: IncomingMessage) => void) {
  const { method = 'GET', path, headers = {} } = options;
  const target = new URL(url);
  return request(
    {
      host: target.hostname.replace(/^\[|\]$/g, ''),
      port: target.port,
      method,
      path: path ?? `${target.pathname}${target.search}`,
      headers: { host: target.host, ...headers },
      agent: false,
    },
    onAnswer,
  );
}

export interface OpenStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The text received so far, comments included. */
  readonly text: () => string;
  readonly messages: () => readonly RpcMessage[];
  /** Waits until `count` messages have arrived. */
  readonly heard: (count: number) => Promise<readonly RpcMessage[]>;
  readonly ended: Promise<void>;
  /** Stops reading without closing. */
  readonly pause: () => void;
  readonly close: () => void;
}

/** Opens an event stream and reads it until the end of the test. */
export async function openStream(url: string, options: RawRequest = {}): Promise<OpenStream> {
  const headers = { accept: 'text/event-stream', ...options.headers };
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    const req = open(url, { ...options, headers }, resolve);
    req.once('error', reject);
    req.end(options.body);
    defer(() => req.destroy());
  });
  let text = '';
  res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  res.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => res.once('close', () => resolve()));
  const whole = (): string => text.slice(0, text.lastIndexOf('\n\n') + 1);
  const messages = (): RpcMessage[] =>
    eventsIn(whole())
      .filter((data) => data.startsWith('{') || data.startsWith('['))
      .map((data) => JSON.parse(data) as RpcMessage);
  return {
    status: res.statusCode ?? 0,
    headers: res.headers,
    text: () => text,
    messages,
    heard: (count) =>
      until(() => messages().length >= count, { what: `${count} messages on a stream` }).then(messages),
    ended,
    pause: () => res.pause(),
    close: () => res.destroy(),
  };
}

export interface RawSocket {
  readonly socket: Socket;
  readonly write: (bytes: string | Buffer) => void;
  readonly received: () => string;
  /** Waits for text that matches. */
  readonly heard: (pattern: RegExp) => Promise<string>;
  readonly closed: Promise<string>;
}

/** A TCP connection on which the test writes HTTP by hand. */
export async function openSocket(url: string): Promise<RawSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
  defer(() => socket.destroy());
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return {
    socket,
    write: (bytes) => {
      if (socket.writable) socket.write(bytes);
    },
    received: () => received,
    heard: (pattern) =>
      until(() => pattern.test(received), { what: `${pattern.source} on a socket` }).then(() => received),
    closed,
  };
}

/** The system's error code of a failed request: `ECONNREFUSED`. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Whether the connection is refused. */
export function isRefused(url: string): Promise<boolean> {
  return send(url).then(
    () => false,
    (error: unknown) => codeOf(error) === 'ECONNREFUSED',
  );
}
