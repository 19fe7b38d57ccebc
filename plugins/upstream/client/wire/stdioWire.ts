import { GatewayError } from 'pegboard';
import { helpedBy } from '../../../kit/faults/remedy.ts';
import { LineSplitter } from '../../../kit/text/lineSplitter.ts';
import { oneLine } from '../../../kit/http/eventWriter.ts';
import { SMALL_BYTES } from '../../../contracts/memory.ts';
import type { MemoryShare } from '../../../contracts/memory.ts';
import { failSkipped } from './answerLeftOut.ts';
import { ServerProcess } from './serverProcess.ts';
import type { ProcessOptions } from './serverProcess.ts';
import { withLastWords } from './standardError.ts';
import type { Quotes } from './standardError.ts';
import { LIGHT_LINE, UnaskedFlow } from './unaskedFlow.ts';
import type { FlowLimits } from './unaskedFlow.ts';
import type { MemoryOf, Outgoing, Wire, WireListener } from './wire.ts';

export interface StdioOptions extends Omit<ProcessOptions, 'flow'> {
  readonly limits: () => FlowLimits;
  readonly maxMessageBytes: number;
  readonly maxQueuedBytes: number;
  readonly memory: MemoryOf;
}

/** A child process with one message per line. Messages of one turn of the event loop are written together. */
export class StdioWire implements Wire {
  readonly #options: StdioOptions;
  readonly #listener: WireListener;
  readonly #flow: UnaskedFlow;
  #process: ServerProcess | undefined;
  #batch = '';
  #queued: Outgoing[] = [];
  #isScheduled = false;
  #isClosed = false;
  #hasAnswered = false;
  #fault: GatewayError | undefined;
  #share: MemoryShare | undefined;

  constructor(options: StdioOptions, listener: WireListener) {
    this.#options = options;
    this.#listener = listener;
    this.#flow = new UnaskedFlow(options.limits, (error) => this.#endWith(error));
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async open(): Promise<void> {
    const child = new ServerProcess({ ...this.#options, flow: this.#flow });
    this.#process = child;
    const overflow = (): void => {
      const text = `it sent a line of more than ${this.#options.maxMessageBytes} bytes`;
      this.#endWith(new GatewayError('UPSTREAM_CLOSED', text));
    };
    // Ignore messages of a process that is about to be killed.
    const take = (line: string): void => {
      if (this.#fault !== undefined) return;
      if (!this.#hasAnswered && line.startsWith('{')) {
        this.#hasAnswered = true;
        this.#options.output.tellRepeated();
      }
      this.#flow.took(line === '' ? LIGHT_LINE : this.#listener.message(line), line.length);
    };
    const lines = new LineSplitter(() => this.#options.maxMessageBytes, take, overflow);
    const readOn = (): void => {
      if (this.#hasRoom(lines, readOn)) child.stdout.resume();
      else child.stdout.pause();
    };
    child.stdout.on('data', (chunk: Buffer) => {
      lines.push(chunk);
      if (this.#flow.isAhead) {
        child.stdout.pause();
        setImmediate(readOn);
      } else readOn();
    });
    await child.started();
    void child.ended().then(() => {
      lines.end();
      this.#share?.size(0);
      this.#gone();
    });
  }

  /** Counts the line that is being read. @param goOn called when there is room for more of it, or it is skipped */
  #hasRoom(lines: LineSplitter, goOn: () => void): boolean {
    if (this.#share === undefined && lines.heldBytes <= SMALL_BYTES) return true;
    this.#share ??= this.#options.memory(undefined);
    if (this.#share === undefined || this.#share.size(lines.heldBytes)) return true;
    this.#share.room().then(goOn, (error: unknown) => {
      lines.skip((ends) => failSkipped(this.#listener, ends, error));
      goOn();
    });
    return false;
  }

  request(outgoing: Outgoing): void {
    if (this.#isBehind) {
      const text = 'the server does not read its input';
      this.#listener.failed(outgoing, helpedBy({ do: 'restart' }, 'UPSTREAM_UNREACHABLE', text));
      return;
    }
    this.#queued.push(outgoing);
    this.#put(outgoing.text);
  }

  /** Drops the message if the server does not read its input. */
  notify(text: string): void {
    if (!this.#isBehind) this.#put(text);
  }

  get #isBehind(): boolean {
    return (this.#process?.stdin.writableLength ?? 0) > this.#options.maxQueuedBytes;
  }

  /** A line break in an answer of a client must not begin a new message. */
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
    const { output, command } = this.#options;
    if (!this.#isClosed && this.#process !== undefined) output.ended(command, this.#hasAnswered);
    // It was made ready, and is not spawned.
    if (!this.#isClosed && this.#process === undefined) this.#options.spawned.ended?.();
    this.#isClosed = true;
    this.#flush();
    this.#flow.end();
    await this.#process?.stop();
  }

  quotes(): Quotes {
    return this.#options.output.quotes();
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
      // The pipe had no reader, so the server has read none of these.
      if (wasIdle && (error as NodeJS.ErrnoException | null | undefined)?.code === 'EPIPE') {
        for (const outgoing of batch) outgoing.sent = false;
      }
    });
    this.#batch = '';
    this.#queued = [];
  }

  #endWith(fault: GatewayError): void {
    this.#fault ??= fault;
    this.#process?.kill();
  }

  #gone(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#flow.end();
    const { output, command } = this.#options;
    output.died(command, this.#hasAnswered);
    const how = this.#fault?.message ?? `its process ${this.#process?.ending ?? 'ended'}`;
    const text = withLastWords(how, this.quotes()) + output.cure(command);
    this.#listener.closed(
      new GatewayError('UPSTREAM_CLOSED', text, { details: { ...this.#fault?.details } }),
    );
  }
}
