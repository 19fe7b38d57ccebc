import type { Readable, Writable } from 'node:stream';
import { RequestGate, isGatewayError, isReply, messageOf, waitAtMost } from 'pegboard';
import type { InboundRequest, RequestFacts, Scope } from 'pegboard';
import { LineSplitter } from '../kit/text/lineSplitter.ts';
import { oneLine } from '../kit/http/eventWriter.ts';
import { Front } from '../contracts/mcp.ts';
import type { Sink } from '../contracts/mcp.ts';
import type { Session } from '../contracts/sessions.ts';
import type { StdioConfig } from './config.ts';

export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
}

const FACTS: Pick<RequestFacts, 'transport' | 'access' | 'header'> = {
  transport: 'stdio',
  access: 'caller',
  header: () => undefined,
};
/** The session ends with the process; what it stores belongs to any later client of stdio on this state directory. */
const OWNER = 'stdio';
const TOO_LONG =
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is over the line limit"}}';

/** MCP on standard input and output: one client, one session, one message per line. */
export class StdioFront {
  readonly #scope: Scope<StdioConfig>;
  readonly #streams: StdioStreams;
  readonly #onEnd: (hadClient: boolean) => void;
  #session: Session | undefined;
  #hadClient = false;
  #detach: (() => void) | undefined;
  #owed = 0;
  #whenIdle: (() => void) | undefined;
  /** Messages are handled in order of arrival, although the gate is asynchronous. */
  #queue: Promise<void> = Promise.resolve();

  /** @param onEnd called at the end of input */
  constructor(scope: Scope<StdioConfig>, streams: StdioStreams, onEnd: (hadClient: boolean) => void) {
    this.#scope = scope;
    this.#streams = streams;
    this.#onEnd = onEnd;
  }

  start(): void {
    const lines = new LineSplitter(
      () => this.#scope.config.maxLineBytes,
      (line) => {
        const text = line.trim();
        if (text === '') return;
        this.#owed += 1;
        this.#queue = this.#queue.then(() => this.#receive(text));
      },
      () => this.#write(TOO_LONG),
    );
    const { input, output } = this.#streams;
    if (input.readableEnded) {
      this.#onEnd(false);
      return;
    }
    input.on('data', (chunk: Buffer) => {
      this.#hadClient = true;
      lines.push(chunk);
    });
    input.once('end', () => {
      lines.end();
      this.#onEnd(this.#hadClient);
    });
    output.on('error', () => this.#onEnd(true));
    // A former stop paused the input, and adding a listener does not resume it.
    input.resume();
  }

  /** Reads no more input, waits for running requests, and cancels those that are left. */
  async stop(): Promise<void> {
    this.#streams.input.removeAllListeners('data');
    this.#streams.input.pause();
    this.#detach?.();
    if (this.#owed === 0) return;
    const idle = new Promise<void>((resolve) => (this.#whenIdle = resolve));
    await waitAtMost(this.#scope.config.stopGraceMs, idle);
    // Otherwise the next plugin to stop would wait for these calls again.
    if (this.#owed > 0 && this.#session !== undefined) this.#scope.get(Front).abandon(this.#session);
  }

  async #receive(line: string): Promise<void> {
    try {
      const request = await this.#scope.get(RequestGate).open({ ...FACTS });
      if (isReply(request)) this.#refuse(line, `refused with status ${request.status}`);
      else {
        request.sessionId = this.#session?.id;
        request.anonymousOwner = OWNER;
        this.#scope.get(Front).receive(line, request, this.#session, this.#sink(request));
      }
    } catch (error) {
      this.#scope.log.error('message refused', { reason: messageOf(error) });
      const isPublic = isGatewayError(error) && error.expose;
      this.#refuse(line, isPublic ? error.message : 'refused; the log has the details');
    }
  }

  /** Answers the request itself: without an HTTP status, its client would wait forever. */
  #refuse(line: string, message: string): void {
    const id = requestIdIn(line);
    const error = { code: -32000, message };
    if (id !== undefined) this.#write(JSON.stringify({ jsonrpc: '2.0', id, error }));
    this.#settled();
  }

  #sink(request: InboundRequest): Sink {
    return {
      before: (json) => {
        this.#write(json);
        return true;
      },
      answer: (json, { opened }) => {
        if (opened !== undefined) this.#open(opened, request);
        if (json !== undefined) this.#write(json);
        this.#settled();
      },
    };
  }

  #open(handle: string, request: InboundRequest): void {
    const front = this.#scope.get(Front);
    this.#session = front.resume(handle, request);
    if (this.#session !== undefined)
      this.#detach = front.attach(this.#session, { request, write: (json) => this.#write(json) });
  }

  #write(json: string): void {
    this.#streams.output.write(`${oneLine(json)}\n`);
  }

  #settled(): void {
    this.#owed -= 1;
    if (this.#owed === 0) this.#whenIdle?.();
  }
}

/** @returns undefined if the line is not a request */
function requestIdIn(line: string): unknown {
  try {
    const { id, method } = JSON.parse(line) as { id?: unknown; method?: unknown };
    return method === undefined ? undefined : id;
  } catch {
    return undefined;
  }
}
