import { GatewayError, oneLine } from 'pegboard';
import { ServerProcess } from './serverProcess.ts';
import type { ProcessOptions } from './serverProcess.ts';
import { LineSplitter } from './lineSplitter.ts';
import { withLastWords } from './standardError.ts';
import type { Outgoing, Wire, WireListener } from './wire.ts';

export interface StdioOptions extends ProcessOptions {
  readonly maxMessageBytes: number;
  readonly maxQueuedBytes: number;
}

/** A child process: one message a line. Writes of one turn of the event loop go out together. */
export class StdioWire implements Wire {
  readonly #options: StdioOptions;
  readonly #listener: WireListener;
  #process: ServerProcess | undefined;
  #batch = '';
  #queued: Outgoing[] = [];
  #isScheduled = false;
  #isClosed = false;
  #fault: string | undefined;

  constructor(options: StdioOptions, listener: WireListener) {
    this.#options = options;
    this.#listener = listener;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async open(): Promise<void> {
    const child = new ServerProcess(this.#options);
    this.#process = child;
    const overflow = (): void => {
      this.#fault = `it sent a line of more than ${this.#options.maxMessageBytes} bytes`;
      child.kill();
    };
    const take = (line: string): void => {
      if (line !== '' && line !== '\r') this.#listener.message(line);
    };
    const lines = new LineSplitter(this.#options.maxMessageBytes, take, overflow);
    child.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
    await child.started();
    void child.ended().then(() => {
      lines.end();
      this.#gone();
    });
  }

  request(outgoing: Outgoing): void {
    if (this.#isBehind) {
      const text =
        'the server does not read its input; call again later, or restart it with core_service_restart';
      this.#listener.failed(outgoing, new GatewayError('UPSTREAM_UNREACHABLE', text));
      return;
    }
    this.#queued.push(outgoing);
    this.#put(outgoing.text);
  }

  /** A server that asks on and on without reading the answers gets no more of them. */
  notify(text: string): void {
    if (!this.#isBehind) this.#put(text);
  }

  get #isBehind(): boolean {
    return (this.#process?.stdin.writableLength ?? 0) > this.#options.maxQueuedBytes;
  }

  /** An answer of a client goes out as it came: a line break in it must not begin a message of its own. */
  #put(text: string): void {
    this.#batch += `${oneLine(text)}\n`;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  agreed(): void {
    // Nothing on this wire depends on the revision.
  }
  renew(): void {
    // The process is the session.
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#flush();
    await this.#process?.stop();
  }

  tail(): string {
    return this.#options.output.tail();
  }

  #flush(): void {
    this.#isScheduled = false;
    const child = this.#process;
    if (this.#batch === '' || child === undefined || child.ending !== undefined || !child.stdin.writable)
      return;
    const batch = this.#queued;
    const wasIdle = child.stdin.writableLength === 0;
    for (const outgoing of batch) outgoing.sent = true;
    child.stdin.write(this.#batch, (error) => {
      // Nobody held the other end any more, so not one of these was read.
      if (wasIdle && (error as NodeJS.ErrnoException | null | undefined)?.code === 'EPIPE') {
        for (const outgoing of batch) outgoing.sent = false;
      }
    });
    this.#batch = '';
    this.#queued = [];
  }

  #gone(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const how = this.#fault ?? `its process ${this.#process?.ending ?? 'ended'}`;
    const text = withLastWords(how, this.tail());
    this.#listener.closed(new GatewayError('UPSTREAM_CLOSED', text));
  }
}
